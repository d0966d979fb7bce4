//! An independent reading of the model's rules: what a placement breaks and what it is worth.
//!
//! It shares no code with the programs: goals are added up workload by workload and machine by machine in exact decimals.

use super::changes::Changes;
use super::score::Score;
use super::violation::Violation;
use crate::instance::{Limits, Problem};
use crate::section::ActiveGpus;
use cluster::{Changed, HostResources, Placement, WorkloadIndex, rules_broken};
use ground::Amount;

/// The verdict on a placement: every rule that it breaks, and what it is worth, which is meaningful only without violations.
pub type Verification = kit::Verification<Violation, Score>;

/// Checks a placement against the rules and says what it is worth.
pub fn verify(problem: &Problem, placement: &Placement) -> Verification {
    let cluster = &problem.cluster;
    let hardware = cluster::check(cluster, placement, HostResources::Checked);
    let mut violations: Vec<Violation> = hardware.into_iter().map(Violation::Hardware).collect();
    let changes = problem.has_rules().then(|| Changes::of(problem, placement));
    if let Some(Changes { moved, disrupted }) = &changes {
        let Limits { max_migrations, max_disrupted } = problem.limits;
        let changed = Changed { moved, disrupted, max_migrations, max_disrupted };
        let broken = rules_broken(cluster, placement, |workload| problem.part(workload), changed);
        violations.extend(broken.into_iter().map(Violation::Cluster));
    }
    let is_moved =
        |workload: WorkloadIndex| changes.as_ref().is_some_and(|changes| changes.moved[workload.index()]);
    let mut score = Score::default();
    for workload in cluster.workload_indices() {
        let (before, after) = (problem.current(workload), placement.of(workload));
        let name = || cluster.workloads[workload.index()].name.clone();
        if problem.is_pinned(workload) && before != after {
            violations.push(Violation::PinnedMoved { workload: name() });
        } else if problem.must_stay(workload) && after.is_none() {
            violations.push(Violation::Evicted { workload: name() });
        }
        score_workload(problem, placement, workload, is_moved(workload), &mut score);
    }
    score_machines(problem, placement, &mut score);
    Verification { violations, score }
}

fn score_workload(
    problem: &Problem,
    placement: &Placement,
    workload: WorkloadIndex,
    is_moved: bool,
    score: &mut Score,
) {
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
        Some(_) if is_moved => {
            score.moved_with_group += 1;
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
