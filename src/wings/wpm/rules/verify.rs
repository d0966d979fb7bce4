//! An independent reading of the model's rules: what a solution breaks and what it is worth.
//!
//! It shares no code with the programs: waste is counted slot by slot from the start slots, costs are added up in
//! exact decimals.

use super::changes::Changes;
use super::score::Score;
use super::solution::{Reading, Solution};
use super::violation::Violation;
use crate::instance::{GpuRole, Limits, Problem, Role};
use crate::section::UseCase;
use cluster::{self, Changed, GpuIndex, HostResources, Maintenance, WorkloadIndex, rules_broken};
use mig::SlotMask;

/// The verdict on a solution.
pub type Verification = kit::Verification<Violation, Score>;

/// Judges a solution by the rules alone.
///
/// The solution must speak of exactly the problem's workloads and GPUs.
pub fn verify(problem: &Problem, solution: &Solution) -> Verification {
    let host_resources = match problem.host_resources {
        true => HostResources::Checked,
        false => HostResources::Ignored,
    };
    let hardware = cluster::check(&problem.cluster, &solution.placement, host_resources);
    let sound = hardware.is_empty();
    let mut violations: Vec<Violation> = hardware.into_iter().map(Violation::Hardware).collect();
    let mut score = Score::default();
    let changes = Changes::of(problem, solution);
    check_workloads(problem, solution, &changes, &mut violations, &mut score);
    let by_gpu = solution.placement.by_gpu(&problem.cluster);
    for gpu in problem.cluster.gpu_indices() {
        check_gpu(problem, solution, gpu, &by_gpu[gpu.index()], &mut violations);
        if sound {
            score_gpu(problem, solution, gpu, &by_gpu[gpu.index()], &mut score);
        }
    }
    let Changes { moved, disrupted } = &changes;
    let Limits { max_migrations, max_disrupted, .. } = problem.limits;
    let changed = Changed { moved, disrupted, max_migrations, max_disrupted };
    let part = |workload| problem.role(workload).part();
    let broken = rules_broken(&problem.cluster, &solution.placement, part, changed);
    violations.extend(broken.into_iter().map(Violation::Cluster));
    score.profit = score.reward - score.gpu_cost - score.migration_cost - score.waste_cost;
    Verification { violations, score }
}

fn check_workloads(
    problem: &Problem,
    solution: &Solution,
    changes: &Changes,
    violations: &mut Vec<Violation>,
    score: &mut Score,
) {
    for workload in problem.cluster.workload_indices() {
        let place = solution.placement.of(workload);
        let name = || problem.cluster.workloads[workload.index()].name.clone();
        match problem.role(workload) {
            Role::Pinned if place != problem.cluster.workloads[workload.index()].current => {
                violations.push(Violation::PinnedMoved { workload: name() });
            }
            Role::NotConsidered if place.is_some() => {
                violations.push(Violation::NotConsidered { workload: name() });
            }
            Role::Pinned | Role::NotConsidered => {}
            Role::Resident | Role::Newcomer => {
                if place.is_some() {
                    score.placed += 1;
                    score.reward += problem.costs.reward_of(workload);
                } else {
                    score.pending += 1;
                    if problem.place_all {
                        violations.push(Violation::Pending { workload: name() });
                    }
                }
                if changes.moved[workload.index()] {
                    score.migrations += 1;
                    score.migration_cost += problem.costs.migration_of(workload);
                }
                score.disrupted += u64::from(changes.disrupted[workload.index()]);
            }
        }
    }
}

fn check_gpu(
    problem: &Problem,
    solution: &Solution,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
    violations: &mut Vec<Violation>,
) {
    let name = || problem.cluster.gpus[gpu.index()].name.clone();
    let residents = &problem.residents[gpu.index()];
    if solution.repartitioned[gpu.index()] && !problem.maintenance(gpu).is_in_service() {
        violations.push(Violation::RepartitionedOutOfService { gpu: name() });
    }
    if solution.repartitioned[gpu.index()] {
        if residents.is_empty() || now_on_gpu.is_empty() {
            violations.push(Violation::NothingToRepartition { gpu: name() });
        }
        if solution.reading == Reading::Printed && problem.gpu_role(gpu) == GpuRole::Pinned {
            violations.push(Violation::PinnedRepartitioned { gpu: name() });
        }
        return;
    }
    if now_on_gpu.is_empty() {
        return;
    }
    match problem.gpu_role(gpu) {
        GpuRole::NotConsidered if problem.use_case == UseCase::Compaction => {
            violations.push(Violation::FreeGpuUsed { gpu: name() })
        }
        GpuRole::Occupied
            if problem.use_case == UseCase::Reconfiguration
                && problem.maintenance(gpu) == Maintenance::InService =>
        {
            violations.push(Violation::NotLaidOutAnew { gpu: name() });
        }
        GpuRole::Free | GpuRole::NotConsidered | GpuRole::Occupied | GpuRole::Pinned => {}
    }
    if solution.reading == Reading::ExactIndex {
        return;
    }
    let board = problem.board(gpu);
    let footprint_of = |workload: WorkloadIndex, location| {
        problem.cluster.instance_at(workload, location).map(|instance| board.footprint(instance))
    };
    let mut occupied = SlotMask::EMPTY;
    for &resident in residents {
        let before = problem.cluster.workloads[resident.index()].current.expect("residents run");
        occupied = occupied.union(footprint_of(resident, before).unwrap_or_default());
    }
    for &workload in now_on_gpu {
        let after = solution.placement.of(workload).expect("listed by location");
        let stays = problem.cluster.workloads[workload.index()].current == Some(after);
        let blocked = footprint_of(workload, after).is_some_and(|footprint| footprint.intersects(occupied));
        if !stays && blocked {
            let workload = problem.cluster.workloads[workload.index()].name.clone();
            violations.push(Violation::OccupiedSlotsReused { workload, gpu: name() });
        }
    }
}

fn score_gpu(
    problem: &Problem,
    solution: &Solution,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
    score: &mut Score,
) {
    let costs = problem.costs.of_board(problem.board_index(gpu));
    if solution.repartitioned[gpu.index()] {
        score.repartitions += 1;
        score.migration_cost += costs.repartition;
    }
    if now_on_gpu.is_empty() {
        return;
    }
    score.gpus += 1;
    score.gpu_cost += costs.gpu;
    let wasted = wasted_slices(problem, solution, gpu, now_on_gpu);
    score.wasted_slices += u64::from(wasted);
    score.waste_cost += costs.waste * i128::from(wasted);
}

/// The slices that count as wasted on a GPU with these workloads.
pub fn wasted_slices(
    problem: &Problem,
    solution: &Solution,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
) -> u32 {
    let counts_everything = solution.reading == Reading::ExactIndex || solution.repartitioned[gpu.index()];
    now_on_gpu
        .iter()
        .filter(|&&workload| {
            counts_everything
                || problem.cluster.workloads[workload.index()].current != solution.placement.of(workload)
        })
        .filter_map(|&workload| {
            problem
                .cluster
                .instance_at(workload, solution.placement.of(workload).expect("listed by location"))
        })
        .map(|instance| problem.board(gpu).waste(instance))
        .sum()
}
