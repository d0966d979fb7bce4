//! All plans, tried out: the cheapest way through the states of a cluster, workload by workload. Shares no code with the planner but the
//! types that say what is asked.

use cluster::{GpuIndex, Handover, Maintenance, WorkloadIndex};
use mig::SlotMask;
use plan::Transition;
use std::collections::{BTreeMap, BTreeSet};

/// Stops, downtime, bounces, rounds, moves.
pub type Cost = [u64; 5];

/// What a workload is doing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Spot {
    /// GPU and start.
    at: Option<(u32, u8)>,
    /// Whether it has run at any time, and whether it has entered a place.
    ran: bool,
    entered: bool,
}

type State = Vec<Spot>;

/// What everything costs at least, with the most important first; none if there is no plan, or nothing within so many states.
pub fn cheapest(transition: &Transition, most_states: usize) -> Option<Result<Cost, ()>> {
    let cluster = &transition.cluster;
    let start: State = cluster
        .workloads
        .iter()
        .map(|workload| Spot {
            at: workload.current.map(|place| (place.gpu.0, place.start.0)),
            ran: workload.current.is_some(),
            entered: false,
        })
        .collect();
    let mut best: BTreeMap<State, Cost> = BTreeMap::from([(start.clone(), [0; 5])]);
    let mut open: BTreeSet<(Cost, State)> = BTreeSet::from([([0; 5], start)]);
    let mut done = 0;
    while let Some((cost, state)) = open.pop_first() {
        if is_goal(transition, &state) {
            return Some(Ok(cost));
        }
        done += 1;
        if done > most_states {
            return None;
        }
        let mut next = Vec::new();
        let round = Round {
            transition,
            state: &state,
            now: state.clone(),
            price: [0; 5],
            entries: 0,
            down: BTreeSet::new(),
        };
        rounds(round, 0, &mut next);
        for (after, price) in next {
            if after == state {
                continue;
            }
            let total = std::array::from_fn(|at| cost[at] + price[at]);
            if best.get(&after).is_none_or(|known| total < *known) {
                if let Some(known) = best.insert(after.clone(), total) {
                    open.remove(&(known, after.clone()));
                }
                open.insert((total, after));
            }
        }
    }
    Some(Err(()))
}

/// Interchangeable: same class, same profile, same handover, same budgets, same nodes.
fn is_goal(transition: &Transition, state: &State) -> bool {
    let cluster = &transition.cluster;
    let key = |index: usize| {
        let workload = &cluster.workloads[index];
        let alone = workload.class.is_none() || (workload.current.is_some() && !workload.movable);
        let own = workload.particulars();
        (alone.then_some(index), workload.request, workload.handover, own.budgets.clone(), own.nodes)
    };
    let (mut have, mut want) = (Vec::new(), Vec::new());
    for (workload, spot) in cluster.workload_indices().zip(state) {
        let goal = transition.target.of(workload).map(|place| (place.gpu.0, place.start.0));
        have.push((key(workload.index()), spot.at));
        want.push((key(workload.index()), goal));
    }
    have.sort();
    want.sort();
    have == want
}

#[derive(Clone)]
struct Round<'t> {
    transition: &'t Transition,
    state: &'t State,
    now: State,
    price: Cost,
    entries: u32,
    down: BTreeSet<usize>,
}

/// All rounds from a state: each workload stays, moves anywhere, stops or starts.
fn rounds(round: Round<'_>, index: usize, found: &mut Vec<(State, Cost)>) {
    let cluster = &round.transition.cluster;
    if index == round.now.len() {
        if is_legal(&round) {
            let down = round.now.iter().filter(|spot| spot.ran && spot.at.is_none()).count() as u64;
            let [stops, _, bounces, _, moves] = round.price;
            found.push((round.now, [stops, down, bounces, 1, moves]));
        }
        return;
    }
    let before = round.now[index];
    let about = &cluster.workloads[index];
    let mut stays = round.clone();
    if before.ran && before.at.is_none() {
        stays.down.insert(index);
    }
    rounds(stays, index + 1, found);
    if about.current.is_some() && !about.movable {
        return;
    }
    if before.at.is_some() {
        let mut stopped = round.clone();
        stopped.now[index].at = None;
        stopped.price[0] += 1;
        stopped.entries += 1;
        stopped.down.insert(index);
        rounds(stopped, index + 1, found);
    }
    let request = &cluster.requests[about.request.index()];
    let profile = request.on_board[0].unwrap();
    for gpu in 0..cluster.gpus.len() as u32 {
        for start in &cluster.boards[0].profile(profile).starts {
            let is_open = cluster.gpus[gpu as usize].maintenance == Maintenance::InService;
            let is_admitted = cluster.admits(WorkloadIndex::at(index), GpuIndex(gpu));
            if before.at == Some((gpu, start.0)) || !is_open || !is_admitted {
                continue;
            }
            let mut moved = round.clone();
            moved.now[index] = Spot { at: Some((gpu, start.0)), ran: true, entered: true };
            moved.entries += 1;
            moved.price[2] += u64::from(before.entered);
            moved.price[4] += u64::from(before.ran);
            let restarts = before.at.is_some()
                && (about.handover == Handover::Restart
                    || is_of_group_that_moves_in_part(round.transition, index));
            moved.price[0] += u64::from(restarts);
            if restarts || before.ran && before.at.is_none() {
                moved.down.insert(index);
            }
            // Cut early: what is entered must be free of all that was held and all that was entered so far.
            if is_free(&moved, index) {
                rounds(moved, index + 1, found);
            }
        }
    }
}

fn slots(transition: &Transition, index: usize, start: u8) -> SlotMask {
    let cluster = &transition.cluster;
    let profile = cluster.requests[cluster.workloads[index].request.index()].on_board[0].unwrap();
    SlotMask::interval(mig::SliceStart(start), cluster.boards[0].profile(profile).size)
}

fn is_free(round: &Round<'_>, index: usize) -> bool {
    let (gpu, start) = round.now[index].at.unwrap();
    let own = slots(round.transition, index, start);
    let meets = |other: usize, at: Option<(u32, u8)>| {
        at.is_some_and(|(there, start)| there == gpu && slots(round.transition, other, start).intersects(own))
    };
    !(0..round.now.len()).any(|other| {
        meets(other, round.state[other].at) || other < index && meets(other, round.now[other].at)
    })
}

/// Where some of a group that counts as one keeps its places, no second copy of all of it can start.
fn is_of_group_that_moves_in_part(transition: &Transition, index: usize) -> bool {
    let cluster = &transition.cluster;
    let stays =
        |member: &WorkloadIndex| cluster.workloads[member.index()].current == transition.target.of(*member);
    let mut groups = cluster.groups_of(WorkloadIndex::at(index));
    groups.any(|(_, group)| group.rules.as_one && group.members.iter().any(stays))
}

/// What counts as one goes to its places at once, or does nothing.
fn keeps_together(round: &Round<'_>) -> bool {
    let goal = |member: &WorkloadIndex| {
        let place = round.transition.target.of(*member);
        round.now[member.index()].at == place.map(|place| (place.gpu.0, place.start.0))
    };
    let changes = |member: &WorkloadIndex| round.now[member.index()].at != round.state[member.index()].at;
    let groups = round.transition.cluster.groups.iter().filter(|group| group.rules.as_one);
    groups.into_iter().all(|group| !group.members.iter().any(changes) || group.members.iter().all(goal))
}

/// Limits of the boards, of the round and of budgets.
fn is_legal(round: &Round<'_>) -> bool {
    let transition = round.transition;
    let (cluster, limits) = (&transition.cluster, transition.limits);
    if limits.max_parallel.is_some_and(|most| round.entries > most) || !keeps_together(round) {
        return false;
    }
    for gpu in 0..cluster.gpus.len() as u32 {
        let on = |at: Option<(u32, u8)>| at.is_some_and(|(there, _)| there == gpu);
        let pairs = || round.state.iter().zip(&round.now);
        let came = pairs().filter(|(before, now)| on(now.at) && before.at != now.at).count() as u32;
        let left = pairs().filter(|(before, now)| on(before.at) && before.at != now.at).count() as u32;
        if limits.max_parallel_per_node.is_some_and(|most| came > most || left > most) {
            return false;
        }
        for limit in cluster.boards[0].limits() {
            let usage = |index: usize| {
                let profile = cluster.requests[cluster.workloads[index].request.index()].on_board[0].unwrap();
                limit.usage[profile.index()]
            };
            let used: u32 = pairs()
                .enumerate()
                .map(|(index, (before, now))| {
                    let both = u32::from(on(before.at)) + u32::from(on(now.at) && now.at != before.at);
                    both * usage(index)
                })
                .sum();
            if used > limit.capacity {
                return false;
            }
        }
    }
    cluster.budgets.iter().enumerate().all(|(number, budget)| {
        let under = round.down.iter().filter(|&&index| {
            cluster.workloads[index].particulars().budgets.iter().any(|own| own.index() == number)
        });
        under.count() as u32 <= budget.allowed
    })
}
