//! The result of `migopt solve` as a document.

use super::wpm::{self, Objective, PerBoard, Score, SolutionDocument, Solved, UseCase};
use crate::cluster::{Amount, Metrics};
use crate::milp::Sense;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `migopt solve` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt result")]
pub struct ResultDocument {
    /// The model: `wpm`.
    pub model: String,
    /// Name of the instance.
    pub instance: String,
    /// The formulation used.
    pub formulation: String,
    /// The solver used.
    pub solver: String,
    /// Version of the solver's library.
    pub solver_version: String,
    /// Which workloads and GPUs take part.
    pub use_case: UseCase,
    /// How the goals are combined.
    pub objective: Objective,
    /// The costs that applied, defaults included.
    pub costs: CostsDocument,
    /// Why the answer is what it is.
    pub status: StatusName,
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
    pub score: Option<Score>,
    /// The best solution in numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// GPUs in use and profit of the optimum under the printed reading, where pinned workloads made migopt choose the
    /// exact-index reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_reading: Option<PrintedReading>,
    /// Remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The best verified solution.
    pub solution: Option<SolutionDocument>,
}

/// Why an answer is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StatusName {
    /// Proved optimal.
    Optimal,
    /// Within the gap asked for.
    WithinGap,
    /// Stopped by the time limit.
    TimeLimit,
    /// Stopped by the user.
    Interrupted,
    /// The solver ran out of memory.
    MemoryLimit,
    /// No solution obeys all rules (proved).
    Infeasible,
}

/// Value and proved bound of an objective.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageDocument {
    /// `profit`, or a goal: `reward`, `gpus`, `migrations`, `waste`.
    pub name: String,
    /// `maximize` or `minimize`.
    pub sense: SenseName,
    /// The solution's value, counted by the verifier.
    pub value: Option<Amount>,
    /// No solution is better than this (given the stages before); null for a stage that was not reached.
    pub bound: Option<Amount>,
}

/// Direction of an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SenseName {
    /// Larger is better.
    Maximize,
    /// Smaller is better.
    Minimize,
}

/// Counters of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
pub struct SecondsDocument {
    /// Building the program.
    pub build: f64,
    /// Solving it, decoding and verifying.
    pub solve: f64,
    /// From reading the instance on.
    pub total: f64,
}

/// Costs as they applied.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostsDocument {
    /// Reward per memory slice of workloads without a reward of their own.
    pub reward_per_slice: Amount,
    /// Cost of a GPU in use.
    pub gpu: Amount,
    /// Cost of a repartition.
    pub repartition: Amount,
    /// Cost of a migration per memory slice.
    pub migration_per_slice: Amount,
    /// Cost of a wasted slice.
    pub waste: Amount,
    /// Costs by board, where they differ from the general ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub boards: BTreeMap<String, wpm::BoardCosts>,
    /// Whether every step of a goal outweighs all goals after it, so that the order reward, GPUs, migrations, waste is
    /// certain.
    pub order_guaranteed: bool,
}

/// The optimum under the printed reading.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrintedReading {
    /// GPUs in use.
    pub gpus: u64,
    /// Workloads without a place.
    pub pending: u64,
    /// Profit.
    pub profit: Amount,
}

impl ResultDocument {
    /// Writes an answer down. `total_seconds` is the time since the instance was read.
    pub fn new(
        problem: &wpm::Problem,
        fingerprint: &str,
        solver: &dyn crate::solver::Solver,
        solved: &Solved,
        total_seconds: f64,
    ) -> Self {
        let (status, reason) = match &solved.status {
            wpm::Status::Optimal => (StatusName::Optimal, None),
            wpm::Status::WithinGap => (StatusName::WithinGap, None),
            wpm::Status::TimeLimit => (StatusName::TimeLimit, None),
            wpm::Status::Interrupted => (StatusName::Interrupted, None),
            wpm::Status::MemoryLimit => (StatusName::MemoryLimit, None),
            wpm::Status::Infeasible(reason) => (StatusName::Infeasible, Some(reason.clone())),
        };
        let stages = solved.stages.iter().map(|stage| StageDocument {
            name: stage.name.to_owned(),
            sense: match stage.sense {
                Sense::Maximize => SenseName::Maximize,
                Sense::Minimize => SenseName::Minimize,
            },
            value: stage.value,
            bound: stage.bound,
        });
        ResultDocument {
            model: "wpm".to_owned(),
            instance: problem.cluster.name.clone(),
            formulation: solved.formulation.to_owned(),
            solver: solver.name().to_owned(),
            solver_version: solver.version(),
            use_case: problem.use_case,
            objective: problem.objective.clone(),
            costs: CostsDocument::new(problem),
            status,
            proved: matches!(status, StatusName::Optimal | StatusName::Infeasible),
            reason,
            stages: stages.collect(),
            gap: solved.gap,
            work: WorkDocument {
                columns: solved.work.columns,
                rows: solved.work.rows,
                nonzeros: solved.work.nonzeros,
                nodes: solved.work.nodes,
                iterations: solved.work.iterations,
            },
            seconds: SecondsDocument {
                build: solved.build_seconds,
                solve: solved.solve_seconds,
                total: total_seconds,
            },
            score: solved.best.as_ref().map(|(_, score)| score.clone()),
            metrics: solved.best.as_ref().map(|(solution, _)| solution.metrics(problem)),
            printed_reading: solved.printed_reading.as_ref().map(|score| PrintedReading {
                gpus: score.gpus,
                pending: score.pending,
                profit: score.profit,
            }),
            notes: solved.notes.clone(),
            solution: solved
                .best
                .as_ref()
                .map(|(solution, score)| SolutionDocument::new(problem, fingerprint, solution, score)),
        }
    }
}

impl CostsDocument {
    /// The costs of a problem.
    pub fn new(problem: &wpm::Problem) -> Self {
        let costs = &problem.costs;
        let [reward_per_slice, gpu, repartition, migration_per_slice, waste] = costs.general;
        let general = PerBoard { gpu, repartition, waste };
        let boards = problem.cluster.boards.iter().zip(&costs.board).filter(|(_, own)| **own != general);
        let boards = boards.map(|(board, own)| {
            let own = wpm::BoardCosts {
                gpu: Some(own.gpu),
                repartition: Some(own.repartition),
                waste: Some(own.waste),
            };
            (board.name().to_owned(), own)
        });
        CostsDocument {
            reward_per_slice,
            gpu,
            repartition,
            migration_per_slice,
            waste,
            boards: boards.collect(),
            order_guaranteed: costs.order_guaranteed,
        }
    }
}
