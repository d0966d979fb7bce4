//! Reconfiguration: everything that may move is laid out anew.

use super::order::profile_on;
use crate::heuristics::deploy::{Rule, as_it_is, considered, residents};
use crate::heuristics::room::Room;
use crate::heuristics::states::Starts;
use crate::instance::{GpuRole, Problem};
use cluster::{BoardIndex, GpuIndex, Placement, WorkloadIndex};
use mig::{Board, GpuInstance, ProfileIndex, preferred_starts};
use std::collections::VecDeque;

/// Everything that may move is laid out anew on the fewest GPUs for which steps 2 to 5 succeed.
pub fn reconfiguration(problem: &Problem, rule: &dyn Rule) -> Placement {
    let now = Room::with_residents(problem);
    let mut order: Vec<GpuIndex> =
        considered(problem).filter(|&gpu| problem.gpu_role(gpu) != GpuRole::Pinned).collect();
    order.sort_by_key(|&gpu| (now.utilisation(gpu), gpu));
    let pinned: Vec<GpuIndex> =
        considered(problem).filter(|&gpu| problem.gpu_role(gpu) == GpuRole::Pinned).collect();
    // GPUs with pinned workloads stay in use anyway and come first.
    let ranked: Vec<GpuIndex> = pinned.iter().chain(&order).copied().collect();
    let mut workloads = residents(problem);
    rule.order(problem, &mut workloads);
    let attempt = |count: usize| {
        let mut room = Room::with_residents_lifted(problem);
        room.rank_in(ranked.clone());
        pinned.iter().chain(&order[..count]).for_each(|&gpu| room.open(gpu));
        let succeeds = lay_out(problem, &mut room, &order[..count], &workloads) && room.is_within_limits();
        succeeds.then(|| room.into_placement())
    };
    let fewest = fewest_gpus(problem, &pinned, &order, &workloads).min(order.len());
    // Where not even all GPUs are enough for these rules, everything is laid out as it is now.
    fewest_that_succeed(fewest, order.len(), attempt)
        .unwrap_or_else(|| as_it_is(problem, rule).into_placement())
}

/// The result for the smallest count that has one.
///
/// The paper adds one GPU after each failure. Up to 127 GPUs so does this; beyond, it adds a 64th part and then bisects
/// back to the last failure.
fn fewest_that_succeed<T>(from: usize, to: usize, attempt: impl Fn(usize) -> Option<T>) -> Option<T> {
    let mut failed = from;
    let mut count = from;
    let (mut found, mut result) = loop {
        if let Some(result) = attempt(count) {
            break (count, result);
        }
        if count == to {
            return None;
        }
        failed = count;
        count = (count + (count / 64).max(1)).min(to);
    };
    while found > failed + 1 {
        let middle = failed + (found - failed) / 2;
        match attempt(middle) {
            Some(better) => (found, result) = (middle, better),
            None => failed = middle,
        }
    }
    Some(result)
}

/// Steps 3 to 5: whole GPUs, then one workload with additional memory per GPU, then first fit. Returns whether
/// every workload finds a place.
fn lay_out(problem: &Problem, room: &mut Room<'_>, gpus: &[GpuIndex], workloads: &[WorkloadIndex]) -> bool {
    let mut empty: Vec<VecDeque<GpuIndex>> = vec![VecDeque::new(); problem.cluster.boards.len()];
    for &gpu in gpus {
        empty[problem.board_index(gpu).index()].push_back(gpu);
    }
    for wanted in [takes_whole_board as fn(&Board, ProfileIndex) -> bool, has_additional_memory] {
        let wanted: Vec<Vec<bool>> = problem
            .cluster
            .boards
            .iter()
            .map(|board| board.profile_indices().map(|profile| wanted(board, profile)).collect())
            .collect();
        for &workload in workloads {
            let suits = |board: &usize| {
                let profile = profile_on(problem, BoardIndex::at(*board), workload);
                profile.is_some_and(|profile| wanted[*board][profile.index()])
            };
            let boards = (0..empty.len()).filter(suits);
            let first = boards.filter_map(|board| {
                let position = empty[board].iter().position(|&gpu| room.admits(workload, gpu))?;
                Some((room.rank(empty[board][position]), board, position))
            });
            let first = first.min().and_then(|(_, board, position)| empty[board].remove(position));
            let Some(gpu) = first else { continue };
            let instance = room.fit_on(gpu, workload, Starts::Preferred).expect("the GPU is empty");
            room.put(workload, gpu, instance);
        }
    }
    for &workload in workloads {
        if room.placement().of(workload).is_some() {
            continue;
        }
        let first =
            room.candidates(workload, Starts::Preferred).min_by_key(|candidate| room.rank(candidate.gpu));
        let Some(candidate) = first else { return false };
        room.put(workload, candidate.gpu, candidate.instance);
    }
    true
}

/// Equation (3): with fewer of the GPUs in `order`, beside the pinned ones, some resource cannot suffice.
fn fewest_gpus(
    problem: &Problem,
    pinned: &[GpuIndex],
    order: &[GpuIndex],
    workloads: &[WorkloadIndex],
) -> usize {
    let enough = |resource: &Resource| {
        let capacity = |gpu: &GpuIndex| u64::from(resource.capacity[problem.board_index(*gpu).index()]);
        let mut left = resource.demand.saturating_sub(pinned.iter().map(capacity).sum());
        let needed = order.iter().take_while(|gpu| {
            let needed = left > 0;
            left = left.saturating_sub(capacity(gpu));
            needed
        });
        needed.count()
    };
    resources(problem, workloads).iter().map(enough).max().unwrap_or_default()
}

/// Something of which every GPU has only so much.
struct Resource {
    /// What the workloads need of it at least.
    demand: u64,
    /// What a GPU has of it, by board.
    capacity: Vec<u32>,
}

/// Compute slices, memory slots and, where all GPUs are alike, the other limits of the board.
fn resources(problem: &Problem, workloads: &[WorkloadIndex]) -> Vec<Resource> {
    let boards = &problem.cluster.boards;
    let resource = |use_of: &dyn Fn(&Board, ProfileIndex) -> u32, capacity: &dyn Fn(&Board) -> u32| {
        let least = |&workload: &WorkloadIndex| {
            let served = boards.iter().enumerate().filter_map(|(index, board)| {
                profile_on(problem, BoardIndex::at(index), workload).map(|profile| use_of(board, profile))
            });
            u64::from(served.min().unwrap_or_default())
        };
        Resource {
            demand: workloads.iter().map(least).sum(),
            capacity: boards.iter().map(|board| capacity(board)).collect(),
        }
    };
    let mut resources = vec![
        resource(&|board, profile| board.profile(profile).compute, &Board::compute),
        resource(&|board, profile| board.profile(profile).size, &Board::slots),
    ];
    if let [board] = boards.as_slice() {
        resources.extend(
            board
                .limits()
                .iter()
                .map(|limit| resource(&|_, profile| limit.usage_of(profile), &|_| limit.capacity)),
        );
    }
    resources
}

fn takes_whole_board(board: &Board, profile: ProfileIndex) -> bool {
    board.profile(profile).size == board.slots()
}

/// Whether the profile wastes compute slices at some start but not at its preferred one, as it uses an additional memory
/// slot there: 3g.40gb and 1g.20gb on an A100.
fn has_additional_memory(board: &Board, profile: ProfileIndex) -> bool {
    let starts = preferred_starts(board, profile);
    let waste = |start| board.compute_waste(GpuInstance { profile, start });
    starts.first().is_some_and(|&preferred| starts.iter().any(|&other| waste(other) > waste(preferred)))
}
