//! The result of `migopt solve` as a document.

use super::entry::MetricValues;
use super::migrator::Readings;
use super::overrides::Overrides;
use super::sharing::Optimum;
use super::siavashi::Residents;
use super::solution::SolutionDocument;
use super::solving::{Solved, Status};
use super::stage::StageDocument;
use super::verdict::{About, ScoreDocument, Verdict};
use super::wpm::{CostsDocument, PrintedReading, UseCase};
use crate::milp::Work;
use crate::solver::Solver;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `migopt solve` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt result")]
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
    /// Which workloads and GPUs take part (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_case: Option<UseCase>,
    /// How the goals are combined.
    pub objective: String,
    /// The costs that applied, defaults included (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<CostsDocument>,
    /// Whether workloads that run may lose their place (siavashi).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residents: Option<Residents>,
    /// Which servers the optimum may use (sharing).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<Optimum>,
    /// How ambiguous rules are read (migrator).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readings: Option<Readings>,
    /// Why the answer is what it is.
    pub status: Status,
    /// Whether bound and verified value meet in every stage, so that no better solution exists.
    pub proved: bool,
    /// Why not all workloads can be placed, when that was required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The objectives in order.
    pub stages: Vec<StageDocument>,
    /// |bound - value| / |value| of the first stage in which they differ; 0 when they meet in all; null without a value.
    pub gap: Option<f64>,
    /// Size of the program and work done; the same from run to run with one thread and no limit.
    pub work: WorkDocument,
    /// Wall-clock seconds.
    pub seconds: SecondsDocument,
    /// What the best solution is worth, as the verifier counts it.
    pub score: Option<ScoreDocument>,
    /// The best solution in numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricValues>,
    /// GPUs in use and profit of the optimum under the printed reading, where pinned workloads made migopt choose the
    /// exact-index reading (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_reading: Option<PrintedReading>,
    /// Remarks.
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
    /// Building the program.
    pub build: f64,
    /// Solving it, decoding and verifying.
    pub solve: f64,
    /// All of it; as `migopt solve` answers, from reading the instance on.
    pub total: f64,
}

impl ResultDocument {
    /// Writes an answer down, with the verdict on the best solution. The total time is that of building and solving;
    /// whoever read the instance knows more.
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
            use_case: about.use_case,
            objective: about.objective,
            costs: about.costs,
            residents: about.residents,
            optimum: about.optimum,
            readings: about.readings,
            status: solved.status,
            proved: matches!(solved.status, Status::Optimal | Status::Infeasible),
            reason: solved.reason,
            stages: solved.stages,
            gap: solved.gap,
            work: solved.work.into(),
            seconds: SecondsDocument {
                build: solved.build_seconds,
                solve: solved.solve_seconds,
                total: solved.build_seconds + solved.solve_seconds,
            },
            score,
            metrics,
            printed_reading: None,
            notes: solved.notes,
            solution,
        }
    }

    /// The settings of the question that it answers.
    pub fn asked(&self) -> Overrides {
        Overrides {
            // Where the model has a choice of servers or of readings, that is its objective.
            objective: (self.optimum.is_none() && self.readings.is_none()).then(|| self.objective.clone()),
            use_case: self.use_case,
            residents: self.residents,
            optimum: self.optimum,
            reconfiguration: self.readings.map(|readings| readings.reconfiguration),
            deployment: self.readings.map(|readings| readings.deployment),
            signature: self.readings.map(|readings| readings.signature),
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
