//! The rule-based method of Turkkan et al., section 4.2.

use super::deploy::{Rule, as_it_is, considered, residents, vacate, waiting};
use super::room::{Candidate, Room};
use super::states::Starts;
use crate::instance::GpuRole;
use crate::instance::Problem;
use crate::section::UseCase;
use cluster::{BoardIndex, GpuIndex, Placement, WorkloadIndex};
use kit::Heuristic;
use mig::{Board, GpuInstance, Profile, ProfileIndex, preferred_starts};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The paper's method: largest workloads first, onto the GPU that is then utilised most, at the preferred start.
///
/// Each use case has its own component. Where the text leaves something open, or cannot be meant as it stands:
///
/// - Joint is initial deployment, then compaction, then initial deployment of what still waits on what was vacated.
/// - A profile's size order is that of its compute slices, then memory slots, then limits such as media engines: on an
///   A100 this is the order of profile ids by which the paper sorts.
/// - In compaction free GPUs are not considered, so that the step of Figure 8, which adds one, applies in joint alone.
/// - In reconfiguration a profile that takes a whole GPU goes first. Otherwise step 3 gives every GPU an instance and
///   leaves no empty one for it.
/// - The minimum number of GPUs, equation (3), also counts the other limits of the board, such as one instance with media
///   engines per GPU. Fewer GPUs can never do, so this saves rounds and changes no result.
pub struct RuleBased;

impl Heuristic<Problem> for RuleBased {
    fn name(&self) -> &'static str {
        "rule-based"
    }

    fn summary(&self) -> &'static str {
        "largest workloads first, onto the GPU that is then utilised most; vacates GPUs from the least utilised on"
    }

    fn reference(&self) -> &'static str {
        "Turkkan et al., section 4.2"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        if problem.use_case == UseCase::Reconfiguration {
            return reconfiguration(problem);
        }
        let mut room = Room::with_residents(problem);
        open_gpus_in_use(problem, &mut room);
        deploy(problem, &mut room);
        if problem.use_case != UseCase::Initial {
            room = compact(problem, room);
        }
        if problem.use_case == UseCase::Joint {
            deploy(problem, &mut room);
        }
        room.into_placement()
    }
}

impl Rule for RuleBased {
    fn order(&self, problem: &Problem, workloads: &mut [WorkloadIndex]) {
        workloads.sort_by_cached_key(|&workload| (size_order(problem, workload), workload));
    }

    fn choose(&self, room: &Room<'_>, workload: WorkloadIndex) -> Option<Candidate> {
        room.candidates(workload, Starts::Preferred)
            .min_by_key(|candidate| (Reverse(candidate.utilisation), room.rank(candidate.gpu)))
    }
}

/// Initial deployment: those that wait go to GPUs in use, and to an empty one only where none of them has room.
fn deploy(problem: &Problem, room: &mut Room<'_>) {
    let mut workloads = waiting(problem, room);
    RuleBased.order(problem, &mut workloads);
    let mut empty = empty_gpus(problem, room);
    for workload in workloads {
        if let Some(candidate) = RuleBased.choose(room, workload) {
            room.put(workload, candidate.gpu, candidate.instance);
            continue;
        }
        let fits = |gpu: &GpuIndex| room.fit_on(*gpu, workload, Starts::Preferred);
        let Some((position, instance)) =
            empty.iter().enumerate().find_map(|(position, gpu)| Some((position, fits(gpu)?)))
        else {
            continue;
        };
        let gpu = empty.remove(position);
        room.open(gpu);
        room.put(workload, gpu, instance);
    }
}

/// Compaction: vacates GPUs; then, as long as this saves a GPU on the whole, adds a free one and tries again (Figure 8).
fn compact<'p>(problem: &Problem, mut room: Room<'p>) -> Room<'p> {
    vacate(&mut room, problem, &RuleBased);
    loop {
        let free = |gpu: &GpuIndex| problem.gpu_role(*gpu) == GpuRole::Free;
        let Some(added) = empty_gpus(problem, &room).into_iter().find(free) else { return room };
        let mut with_one_more = room.clone();
        with_one_more.open(added);
        if vacate(&mut with_one_more, problem, &RuleBased) < 2 {
            return room;
        }
        room = with_one_more;
    }
}

/// Reconfiguration: everything that may move is laid out anew on the fewest GPUs for which steps 2 to 5 succeed.
fn reconfiguration(problem: &Problem) -> Placement {
    let now = Room::with_residents(problem);
    let mut order: Vec<GpuIndex> =
        considered(problem).filter(|&gpu| problem.gpu_role(gpu) != GpuRole::Pinned).collect();
    order.sort_by_key(|&gpu| (now.utilisation(gpu), gpu));
    let pinned: Vec<GpuIndex> =
        considered(problem).filter(|&gpu| problem.gpu_role(gpu) == GpuRole::Pinned).collect();
    // GPUs with pinned workloads stay in use anyway and come first.
    let ranked: Vec<GpuIndex> = pinned.iter().chain(&order).copied().collect();
    let mut workloads = residents(problem);
    RuleBased.order(problem, &mut workloads);
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
        .unwrap_or_else(|| as_it_is(problem, &RuleBased).into_placement())
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

fn open_gpus_in_use(problem: &Problem, room: &mut Room<'_>) {
    considered(problem).filter(|&gpu| problem.gpu_role(gpu) != GpuRole::Free).for_each(|gpu| room.open(gpu));
}

/// GPUs with nothing on them that are not offered yet: free ones and, after compaction, vacated ones.
fn empty_gpus(problem: &Problem, room: &Room<'_>) -> Vec<GpuIndex> {
    considered(problem).filter(|&gpu| room.workloads_on(gpu).is_empty() && !room.is_open(gpu)).collect()
}

fn profile_on(problem: &Problem, board: BoardIndex, workload: WorkloadIndex) -> Option<ProfileIndex> {
    let request = problem.cluster.workloads[workload.index()].request;
    problem.cluster.requests[request.index()].on_board[board.index()]
}

/// Larger profiles first; of equal ones those with the fewest limited resources.
fn size_order(problem: &Problem, workload: WorkloadIndex) -> impl Ord + use<> {
    let board = problem.cluster.reference_board(workload);
    let profile = board.and_then(|board| Some((board, profile_on(problem, board, workload)?)));
    profile.map(|(index, profile)| {
        let board = &problem.cluster.boards[index.index()];
        let limited: u32 = board.limits().iter().map(|limit| limit.usage_of(profile)).sum();
        let Profile { compute, size, .. } = board.profile(profile);
        (Reverse((*compute, *size)), limited, profile)
    })
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
