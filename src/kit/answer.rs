//! The result of `migopt solve` as a document.

use super::entry::MetricValues;
use super::score::Score;
use super::solution::SolutionDocument;
use super::solving::{Solved, Status};
use super::stage::StageDocument;
use super::trace::TracePoint;
use super::verdict::{About, Verdict};
use itertools::Itertools;
use milp::Work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use solver::Solver;
use std::time::Duration;

/// What `migopt solve` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "migopt result", extend("x-migopt-about" = true, "x-migopt-remarks" = true))]
#[non_exhaustive]
pub struct ResultDocument {
    /// The model.
    pub model: String,
    /// Name of the instance.
    pub instance: String,
    /// The formulation used.
    pub formulation: String,
    /// The solver used.
    pub solver: String,
    /// Version of the solver's library.
    pub solver_version: String,
    /// The question as it was asked: `objective` and the settings of the model.
    #[serde(flatten)]
    #[schemars(skip)]
    pub about: Map<String, Value>,
    /// How the search ended.
    pub status: Status,
    /// Whether bound and verified value meet in every stage, so that no better solution exists.
    pub proved: bool,
    /// Why there is no solution, where migopt knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The goals in order, with value and bound.
    pub stages: Vec<StageDocument>,
    /// |bound - value| / |value| of the first stage in which they differ; 0 when they meet in all; null without a value.
    pub gap: Option<f64>,
    /// The bound of the objective that was solved first before any branching: that of its linear relaxation, in the units of the
    /// objective; absent where no relaxation was solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_bound: Option<f64>,
    /// How value and bound came together: what was known, and when. Times and the choice of moments differ from run to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TracePoint>,
    /// Size of the program and work done; the same from run to run with one thread and no limit.
    pub work: WorkDocument,
    /// Wall-clock seconds.
    pub seconds: SecondsDocument,
    /// What the best solution is worth, as the verifier counts it.
    pub score: Option<Score>,
    /// The best solution in numbers, by metric (`migopt list metrics`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricValues>,
    /// What else the model has to say.
    #[serde(flatten, skip_deserializing)]
    #[schemars(skip)]
    pub remarks: Map<String, Value>,
    /// Remarks on the answer, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The best verified solution.
    pub solution: Option<SolutionDocument>,
}

/// Counters of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WorkDocument {
    /// Columns of the program.
    pub columns: usize,
    /// Rows of the program.
    pub rows: usize,
    /// Nonzero coefficients of the program.
    pub nonzeros: usize,
    /// Branch-and-bound nodes over all stages.
    pub nodes: u64,
    /// Simplex iterations over all stages.
    pub iterations: u64,
}

/// Wall-clock times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SecondsDocument {
    /// Reading and checking the instance, as far as the answer knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<f64>,
    /// Building the program.
    pub build: f64,
    /// Solving it, decoding and verifying.
    pub solve: f64,
    /// Writing the solution down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lay_out: Option<f64>,
    /// Drawing it, where it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<f64>,
    /// All of it; as `migopt solve` answers, from reading the instance on.
    pub total: f64,
}

impl SecondsDocument {
    /// The parts that took time, with their names.
    pub fn parts(&self) -> Vec<(&'static str, f64)> {
        let parts = [
            ("read", self.read),
            ("build", Some(self.build)),
            ("solve and verify", Some(self.solve)),
            ("lay out", self.lay_out),
            ("draw", self.draw),
        ];
        parts.into_iter().filter_map(|(name, seconds)| Some((name, seconds?))).collect()
    }

    /// That a time limit was overrun, and by which parts, if it was by more than a little.
    pub fn overrun(&self, limit: Duration) -> Option<String> {
        let limit = limit.as_secs_f64();
        let parts = self.parts().into_iter().map(|(name, seconds)| format!("{name} {seconds:.1} s"));
        (self.total > 1.1 * limit + 0.5).then(|| {
            format!(
                "the time limit of {limit} s was overrun: {}; only the search stops at a limit",
                parts.format(", ")
            )
        })
    }
}

impl ResultDocument {
    /// How the goals are combined.
    pub fn objective(&self) -> &str {
        self.about.get("objective").and_then(Value::as_str).unwrap_or_default()
    }

    /// The question as it was asked, and what else the model has to say.
    pub fn fields(&self) -> Map<String, Value> {
        let fields = self.about.iter().chain(&self.remarks);
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Writes an answer down, with the verdict on the best solution. The total time is that of building and solving;
    /// the reader of the instance adds its own.
    pub fn new<Best>(about: About, solver: &dyn Solver, solved: Solved<Best>, best: Option<Verdict>) -> Self {
        let (score, metrics, solution) = match best {
            Some(verdict) => (verdict.score, verdict.metrics, Some(verdict.solution)),
            None => (None, None, None),
        };
        ResultDocument {
            model: about.model.to_owned(),
            instance: about.instance,
            formulation: solved.formulation.to_owned(),
            solver: solver.name().to_owned(),
            solver_version: solver.version(),
            about: about.fields,
            status: solved.status,
            proved: matches!(solved.status, Status::Optimal | Status::Infeasible),
            reason: solved.reason,
            stages: solved.stages,
            gap: solved.gap,
            root_bound: None,
            trace: Vec::new(),
            work: solved.work.into(),
            seconds: SecondsDocument {
                read: None,
                build: solved.build_seconds,
                solve: solved.solve_seconds,
                lay_out: None,
                draw: None,
                total: solved.build_seconds + solved.solve_seconds,
            },
            score,
            metrics,
            remarks: Map::new(),
            notes: solved.notes,
            solution,
        }
    }
}

impl From<Work> for WorkDocument {
    fn from(work: Work) -> Self {
        WorkDocument {
            columns: work.columns,
            rows: work.rows,
            nonzeros: work.nonzeros,
            nodes: work.nodes,
            iterations: work.iterations,
        }
    }
}
