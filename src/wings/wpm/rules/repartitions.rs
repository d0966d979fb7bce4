//! Which GPUs are repartitioned, where a placement does not say so.

use super::changes::{Changes, changed_with, leaves_its_slot};
use super::solution::{Reading, Solution};
use crate::instance::GpuRole;
use crate::instance::Problem;
use crate::section::{Shifts, UseCase};
use cluster::{GpuIndex, Placement, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use mig::SlotMask;
use std::collections::BTreeMap;

impl Solution {
    /// The solution with this placement and the repartitions with which it is worth most: those without which it breaks a rule,
    /// and those that cost less than the moves inside their GPU that they save. Where workloads of several GPUs count as one, or the
    /// number of moves is limited, GPUs are looked at one after the other, which obeys the rules where that is possible.
    pub fn from_placement(problem: &Problem, reading: Reading, placement: Placement) -> Self {
        let by_gpu = placement.by_gpu(&problem.cluster);
        let repartitioned = problem
            .cluster
            .gpu_indices()
            .map(|gpu| calls_for_repartition(problem, reading, &placement, gpu, &by_gpu[gpu.index()]))
            .collect();
        let mut solution = Solution { reading, placement, repartitioned };
        if reading == Reading::ExactIndex && problem.limits.shifts == Shifts::Free {
            spare_moves(problem, &mut solution);
        }
        solution
    }
}

/// Repartitions all GPUs inside which something moves, then takes back, one by one, what does not pay.
fn spare_moves(problem: &Problem, solution: &mut Solution) {
    let mut shifted: BTreeMap<GpuIndex, Vec<WorkloadIndex>> = BTreeMap::new();
    for workload in problem.decided().filter(|&workload| leaves_its_slot(problem, solution, workload)) {
        let gpu_of = |place: Option<cluster::Location>| place.map(|place| place.gpu);
        let before = gpu_of(problem.cluster.workloads[workload.index()].current);
        if let Some(gpu) = gpu_of(solution.placement.of(workload)).filter(|&gpu| before == Some(gpu))
            && problem.maintenance(gpu).is_in_service()
            && !solution.repartitioned[gpu.index()]
        {
            shifted.entry(gpu).or_default().push(workload);
        }
    }
    shifted.keys().for_each(|gpu| solution.repartitioned[gpu.index()] = true);
    let Changes { mut moved, .. } = Changes::of(problem, solution);
    let mut number = moved.iter().filter(|is_moved| **is_moved).count();
    for (gpu, workloads) in shifted {
        let with_others = workloads.iter().flat_map(|&workload| changed_with(problem, workload));
        let saved = with_others.filter(|workload| !moved[workload.index()]).unique().collect_vec();
        let cost: Amount = saved.iter().map(|&workload| problem.costs.migration_of(workload)).sum();
        let is_allowed =
            problem.limits.max_migrations.is_none_or(|most| number + saved.len() <= most as usize);
        if is_allowed && cost <= problem.costs.of_board(problem.board_index(gpu)).repartition {
            solution.repartitioned[gpu.index()] = false;
            number += saved.len();
            saved.iter().for_each(|workload| moved[workload.index()] = true);
        }
    }
}

/// Whether the final contents of `gpu` can only be reached by repartitioning it.
fn calls_for_repartition(
    problem: &Problem,
    reading: Reading,
    placement: &Placement,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
) -> bool {
    let residents = &problem.residents[gpu.index()];
    if residents.is_empty() || now_on_gpu.is_empty() || !problem.maintenance(gpu).is_in_service() {
        return false;
    }
    let board = problem.board(gpu);
    match reading {
        // Without residents that stay this is a drained GPU, free for any layout.
        Reading::ExactIndex => {
            problem.use_case == UseCase::Reconfiguration && problem.gpu_role(gpu) == GpuRole::Occupied
        }
        Reading::Printed => {
            if problem.gpu_role(gpu) == GpuRole::Pinned {
                return false;
            }
            if problem.use_case == UseCase::Reconfiguration {
                return true;
            }
            let before = residents.iter().filter_map(|&workload| problem.current_instance(workload));
            let occupied =
                before.fold(SlotMask::EMPTY, |mask, instance| mask.union(board.footprint(instance)));
            now_on_gpu.iter().any(|&workload| {
                let stays = problem.cluster.workloads[workload.index()].current == placement.of(workload);
                let location = placement.of(workload).expect("listed by location");
                let footprint =
                    problem.cluster.instance_at(workload, location).map(|instance| board.footprint(instance));
                !stays && footprint.is_some_and(|footprint| footprint.intersects(occupied))
            })
        }
    }
}
