//! An independent reading of the model's rules: what a placement breaks and what it is worth.
//!
//! It shares no code with the programs: goals are added up workload by workload and machine by machine in exact decimals.

use super::goal::Goal;
use super::instance::{Problem, Values};
use super::settings::ActiveGpus;
use crate::cluster::{self, Amount, HostResources, Placement, WorkloadIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule that a placement breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A rule of the hardware: profiles, starts, slots, limits, CPU and main memory of hosts.
    Hardware(cluster::Violation),
    /// A pinned workload is not where it was.
    PinnedMoved { workload: String },
    /// A workload that ran has no place although residents keep one.
    Evicted { workload: String },
}

impl Violation {
    /// The rule's short, stable name.
    pub fn rule(&self) -> &'static str {
        match self {
            Violation::Hardware(violation) => violation.rule(),
            Violation::PinnedMoved { .. } => "pinned-moved",
            Violation::Evicted { .. } => "evicted",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::Hardware(violation) => violation.fmt(formatter),
            Violation::PinnedMoved { workload } => {
                write!(formatter, "`{workload}` is pinned but not where it was")
            }
            Violation::Evicted { workload } => {
                write!(formatter, "`{workload}` ran and has no place, but residents keep one")
            }
        }
    }
}

/// What a placement is worth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Workloads with a place.
    pub accepted: u64,
    /// Newcomers without a place.
    pub rejected: u64,
    /// Workloads that ran and have no place.
    pub evicted: u64,
    /// Objective (3): weights of the accepted workloads.
    pub acceptance: Amount,
    /// Machines that carry a workload.
    pub machines: u64,
    /// GPUs that carry a workload.
    pub gpus: u64,
    /// GPUs of machines that carry a workload, whether used or idle.
    pub gpus_of_machines: u64,
    /// Objective (4): weights of the machines and GPUs in use.
    pub hardware: Amount,
    /// Workloads that move to another machine.
    pub moved_machine: u64,
    /// Workloads that move to another GPU of their machine.
    pub moved_gpu: u64,
    /// Workloads that begin at another slot of their GPU.
    pub moved_start: u64,
    /// Objective (5): costs of all moves and evictions.
    pub migrations: Amount,
}

impl Score {
    /// The value of a goal.
    pub fn goal(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Acceptance => self.acceptance,
            Goal::Hardware => self.hardware,
            Goal::Migrations => self.migrations,
        }
    }

    /// The values of all goals.
    pub fn values(&self) -> Values {
        Goal::ALL.map(|goal| self.goal(goal))
    }
}

/// The verdict on a placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Every rule that it breaks.
    pub violations: Vec<Violation>,
    /// What it is worth; meaningful only without violations.
    pub score: Score,
}

/// Checks a placement against the rules and says what it is worth.
pub fn verify(problem: &Problem, placement: &Placement) -> Verification {
    let cluster = &problem.cluster;
    let hardware = cluster::check(cluster, placement, HostResources::Checked);
    let mut violations: Vec<Violation> = hardware.into_iter().map(Violation::Hardware).collect();
    let mut score = Score::default();
    for workload in cluster.workload_indices() {
        let (before, after) = (problem.current(workload), placement.of(workload));
        let name = || cluster.workloads[workload.index()].name.clone();
        if problem.is_pinned(workload) && before != after {
            violations.push(Violation::PinnedMoved { workload: name() });
        } else if problem.must_stay(workload) && after.is_none() {
            violations.push(Violation::Evicted { workload: name() });
        }
        score_workload(problem, placement, workload, &mut score);
    }
    score_machines(problem, placement, &mut score);
    Verification { violations, score }
}

fn score_workload(problem: &Problem, placement: &Placement, workload: WorkloadIndex, score: &mut Score) {
    let (before, after) = (problem.current(workload), placement.of(workload));
    match after {
        Some(_) => {
            score.accepted += 1;
            score.acceptance += problem.acceptance_weight(workload);
        }
        None if before.is_none() => score.rejected += 1,
        None => score.evicted += 1,
    }
    let Some(before) = before else { return };
    let cost = match after {
        None => problem.costs.evict,
        Some(after) if problem.machine_of(after.gpu) != problem.machine_of(before.gpu) => {
            score.moved_machine += 1;
            problem.costs.move_machine
        }
        Some(after) if after.gpu != before.gpu => {
            score.moved_gpu += 1;
            problem.costs.move_gpu
        }
        Some(after) if after.start != before.start => {
            score.moved_start += 1;
            problem.costs.move_start
        }
        Some(_) => Amount::ZERO,
    };
    score.migrations += problem.weighted(cost, workload);
}

fn score_machines(problem: &Problem, placement: &Placement, score: &mut Score) {
    let on_gpu = placement.by_gpu(&problem.cluster);
    for machine in &problem.machines {
        let used = machine.gpus.iter().filter(|gpu| !on_gpu[gpu.index()].is_empty()).count() as u64;
        if used == 0 {
            continue;
        }
        score.machines += 1;
        score.gpus += used;
        score.gpus_of_machines += machine.gpus.len() as u64;
        let counted = match problem.active_gpus {
            ActiveGpus::Used => used,
            ActiveGpus::WholeMachine => machine.gpus.len() as u64,
        };
        score.hardware += machine.printed_weight * (1 + i128::from(counted));
    }
}
