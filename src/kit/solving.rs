//! What solving means for every model: the options, the answer, and how an answer ends.

use super::entry::FormulationEntry;
use super::solution::SolutionDocument;
use super::stage::{SenseName, StageDocument};
use cluster::{Cluster, WorkloadIndex};
use ground::{Amount, InputError, SourceText, counted, name_some};
use milp::{Sense, StopReason, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use solver::{Effort, Solver, StageResult};
use std::time::Instant;

/// How to solve a problem.
#[derive(Clone)]
pub struct SolveOptions {
    /// One of the model's formulations; `None` chooses by the problem.
    pub formulation: Option<FormulationEntry>,
    /// The solver and its limits.
    pub effort: Effort,
    /// What the solver starts from.
    pub warm_start: Option<WarmStart>,
    /// Whether to say what else there is to say about a problem that chose its formulation itself, at the cost of further solves.
    pub remarks: bool,
}

/// What a solver starts from.
#[derive(Clone, Debug)]
pub enum WarmStart {
    /// The solution of a heuristic, `NAME` or `NAME:KEY=VALUE,...`.
    Heuristic(String),
    /// A solution that obeys all rules, and the text in which it was found, for messages.
    Solution(Box<SolutionDocument>, SourceText),
}

impl SolveOptions {
    /// The answer by the formulation that suits the problem.
    pub fn new(effort: Effort) -> Self {
        SolveOptions { formulation: None, effort, warm_start: None, remarks: false }
    }

    /// The proved optimum by the formulation that suits the problem, without limit, on one thread.
    pub fn exact(solver: &'static dyn Solver) -> Self {
        Self::new(Effort::exact(solver))
    }
}

/// Why an answer is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Proved optimal: bound and verified value meet.
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

impl Status {
    /// The status of a problem with a solution: `met` says whether every bound and verified value meet, `stop` why the
    /// solver ended.
    ///
    /// # Errors
    /// When the solver ended for no reason that leaves a gap, and there is one.
    pub fn of(met: bool, stop: &StopReason) -> Result<Status, SolveError> {
        Ok(match stop {
            _ if met => Status::Optimal,
            StopReason::GapLimit => Status::WithinGap,
            StopReason::TimeLimit => Status::TimeLimit,
            StopReason::Interrupted => Status::Interrupted,
            StopReason::MemoryLimit => Status::MemoryLimit,
            other => {
                let text =
                    format!("the solver ended with {other:?}, but bound and verified value do not meet");
                return Err(SolveError::Internal(text));
            }
        })
    }
}

impl From<Sense> for SenseName {
    fn from(sense: Sense) -> Self {
        match sense {
            Sense::Maximize => SenseName::Maximize,
            Sense::Minimize => SenseName::Minimize,
        }
    }
}

/// The answer to a problem.
#[derive(Clone, Debug)]
pub struct Solved<Best> {
    /// The formulation used.
    pub formulation: &'static str,
    /// Why it is what it is.
    pub status: Status,
    /// Why the problem is infeasible, in words.
    pub reason: Option<String>,
    /// Objectives in order.
    pub stages: Vec<StageDocument>,
    /// Relative gap of the first objective that is not proved; 0 when all are.
    pub gap: Option<f64>,
    /// Work counters.
    pub work: Work,
    /// Seconds spent building the program.
    pub build_seconds: f64,
    /// Seconds spent solving it.
    pub solve_seconds: f64,
    /// The best verified solution and its worth.
    pub best: Option<Best>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

impl<Best> Solved<Best> {
    /// The answer to a problem that no solution obeys, with the reason.
    pub fn infeasible(
        formulation: &'static str,
        reason: impl Into<String>,
        work: Work,
        began: Instant,
    ) -> Self {
        Solved {
            formulation,
            status: Status::Infeasible,
            reason: Some(reason.into()),
            stages: Vec::new(),
            gap: None,
            work,
            build_seconds: 0.0,
            solve_seconds: began.elapsed().as_secs_f64(),
            best: None,
            notes: Vec::new(),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The question cannot be put this way.
    #[error("{0}")]
    Refused(String),
    /// The instance breaks a rule that matters to solvers alone.
    #[error("{0}")]
    Input(#[from] InputError),
    /// Solver and verifier disagree, or the solver failed: never to be taken for an answer.
    #[error("{0}")]
    Internal(String),
}

/// Compares what the solver claims about a stage with what the verifier finds. Whether the stages after it can be compared
/// as well: not when the solution is better than a stage without a proof claims.
///
/// # Errors
/// When the solution is worse than claimed, or better than a proved optimum.
pub fn agrees(stage: &StageResult, claimed: Amount, verified: Amount) -> Result<bool, SolveError> {
    if claimed == verified {
        return Ok(true);
    }
    let better = match stage.sense {
        Sense::Maximize => verified > claimed,
        Sense::Minimize => verified < claimed,
    };
    if better && !stage.proved {
        return Ok(false);
    }
    let text = format!("the solver claims {} = {claimed}, the verifier finds {verified}", stage.name);
    Err(SolveError::Internal(text))
}

/// Relative gap of the first stage whose value and bound differ.
pub fn gap(stages: &[StageDocument]) -> Option<f64> {
    for stage in stages {
        let (value, bound) = (stage.value?, stage.bound?);
        if value != bound {
            let difference = (bound - value).to_f64().abs();
            return Some(difference / value.to_f64().abs().max(1e-9));
        }
    }
    Some(0.0)
}

/// A remark about those of the workloads that no board of the cluster can serve.
pub fn unserved(cluster: &Cluster, workloads: impl Iterator<Item = WorkloadIndex>) -> Option<String> {
    let names: Vec<&str> = workloads
        .filter(|&workload| cluster.memory_slices(workload).is_none())
        .map(|workload| cluster.workloads[workload.index()].name.as_str())
        .collect();
    (!names.is_empty()).then(|| {
        let (are, ask) = if names.len() == 1 { ("is", "asks") } else { ("are", "ask") };
        let workloads = counted(names.len(), "workload");
        let first = name_some(&names);
        format!(
            "{workloads} {are} pending and {ask} for a profile that no board of this cluster has: {first}"
        )
    })
}
