//! What every plan costs, from the places alone: differences, circles, chains, limits.

use crate::feedback::minimum_feedback;
use crate::graph::{Waits, knots};
use cluster::Handover;
use plan::{Bound, By, Class, Place, Transition, WayEntry, spot};
use std::collections::{BTreeMap, BTreeSet};

/// What every plan costs at least.
#[derive(Clone, Debug)]
pub struct Lower {
    /// Workloads with handover `restart` that have to move: each is interrupted once.
    pub restarts: u64,
    /// Moves.
    pub moves: u64,
    /// How many restarting and how many other workloads have to step aside, the first being dearer; what is known of it.
    pub parks: (u64, u64),
    /// Whether the number of those who step aside was found by a search, so that any of them may be among those.
    pub is_searched: bool,
    /// Classes of which the cheapest set that breaks all circles consists.
    pub feedback: Vec<usize>,
    /// Circles without a common class, as classes.
    pub circles: Vec<Vec<usize>>,
    /// Rounds, if no workload steps aside; none if that is impossible.
    pub chain: Option<Vec<(usize, Option<Place>, Place)>>,
    /// Rounds that the limits ask for.
    pub by_limits: u64,
    /// Rounds that a chain of classes on no circle asks for, if as few as possible step aside.
    pub beside_knots: u64,
}

/// A weight that no number of lighter vertices reaches.
const HEAVY: u64 = 1 << 32;

impl Lower {
    /// What is known of a transition.
    pub fn of(transition: &Transition, waits: &Waits, may_go_on: &mut dyn FnMut() -> bool) -> Self {
        let classes = &transition.classes;
        let restarting = |class: &&Class| class.handover == Handover::Restart;
        let graph = waits.single_graph();
        let weight = |class: &Class| if class.handover == Handover::Restart { HEAVY } else { 1 };
        let weights: Vec<u64> = classes.iter().map(weight).collect();
        let (feedback, circles) =
            minimum_feedback(&graph, &weights, may_go_on).unwrap_or_else(|| (Vec::new(), Vec::new()));
        let parked =
            |heavy: bool| feedback.iter().filter(|&&class| (weights[class] == HEAVY) == heavy).count() as u64;
        Lower {
            restarts: classes.iter().filter(restarting).map(|class| class.movers() as u64).sum(),
            moves: classes.iter().map(|class| class.movers() as u64).sum(),
            parks: (parked(true), parked(false)),
            is_searched: false,
            chain: chain(transition, waits),
            by_limits: by_limits(transition, waits),
            beside_knots: beside_knots(&graph),
            feedback,
            circles,
        }
    }

    /// Rounds, given whether a workload has to step aside.
    pub fn rounds(&self) -> u64 {
        let stepping = self.parks != (0, 0);
        let chain = match &self.chain {
            Some(chain) if !stepping => chain.len() as u64,
            _ if self.is_searched => 2,
            _ => self.beside_knots.max(2),
        };
        chain.max(self.by_limits)
    }

    /// The bound on rounds that people can read, where that is the best one.
    pub fn round_bound(&self, transition: &Transition, value: u64) -> Bound {
        let blank = Bound { value, by: By::Search, chain: Vec::new(), cycles: Vec::new() };
        let stepping = self.parks != (0, 0);
        match &self.chain {
            _ if value == 0 => Bound { by: By::Difference, ..blank },
            Some(chain) if !stepping && chain.len() as u64 == value => {
                let entry =
                    |&(class, from, to): &(usize, Option<Place>, Place)| way(transition, class, from, to);
                Bound { by: By::Chain, chain: chain.iter().map(entry).collect(), ..blank }
            }
            _ if value == 1 => Bound { by: By::Difference, ..blank },
            _ if value <= self.by_limits => Bound { by: By::Limits, ..blank },
            _ => blank,
        }
    }

    /// The bound on those who step aside, as circles where there are enough of them.
    pub fn park_bound(&self, transition: &Transition, waits: &Waits, value: u64) -> Bound {
        let blank = Bound { value, by: By::Search, chain: Vec::new(), cycles: Vec::new() };
        if value == 0 {
            return Bound { by: By::Difference, ..blank };
        }
        if self.circles.len() as u64 != value {
            return blank;
        }
        let entry = |&class: &usize| {
            let (source, target) = (waits.sources_of[class][0], waits.targets_of[class][0]);
            way(transition, class, Some(waits.sources[source].place), waits.targets[target].place)
        };
        let cycles = self.circles.iter().map(|circle| circle.iter().map(entry).collect()).collect();
        Bound { by: By::Cycles, cycles, ..blank }
    }
}

/// An entry of a certificate.
fn way(transition: &Transition, class: usize, from: Option<Place>, to: Place) -> WayEntry {
    let cluster = &transition.cluster;
    let holder = |workload: &&cluster::WorkloadIndex| {
        let location = cluster.workloads[workload.index()].current;
        location.and_then(|location| transition.place(**workload, location)) == from
    };
    let members = &transition.classes[class].members;
    let workload = members.iter().find(holder).unwrap_or(&members[0]);
    WayEntry {
        workload: cluster.workloads[workload.index()].name.clone(),
        from: from.map(|place| spot(cluster, place)),
        to: spot(cluster, to),
    }
}

/// A longest chain of moves of which each waits for the one before, whoever of a class moves; none if some place can never be entered.
fn chain(transition: &Transition, waits: &Waits) -> Option<Vec<(usize, Option<Place>, Place)>> {
    let mut levels: Vec<Option<u64>> = vec![None; waits.targets.len()];
    // In which round a class can leave a place at the earliest.
    let mut leaves: Vec<Option<u64>> =
        transition.classes.iter().map(|class| (class.leavers() > 0).then_some(1)).collect();
    let mut open: Vec<usize> = (0..waits.targets.len()).collect();
    let mut round = 0;
    while !open.is_empty() {
        round += 1;
        let can_enter = |target: &usize| {
            let blockers = waits.targets[*target].blockers.iter();
            let mut leaves = blockers.map(|&source| leaves[waits.sources[source].class]);
            leaves.all(|leave| leave.is_some_and(|leave| leave < round))
        };
        let (entered, rest): (Vec<usize>, Vec<usize>) = open.iter().partition(|target| can_enter(target));
        if entered.is_empty() && round > 1 {
            return None;
        }
        open = rest;
        for target in entered {
            levels[target] = Some(round);
            let leave = &mut leaves[waits.targets[target].class];
            *leave = Some(leave.unwrap_or(round));
        }
    }
    let mut target =
        (0..waits.targets.len()).max_by_key(|&target| (levels[target], std::cmp::Reverse(target)));
    let mut chain = Vec::new();
    let mut from = None;
    while let Some(last) = target {
        let about = &waits.targets[last];
        let own = waits.sources_of[about.class].first().map(|&source| waits.sources[source].place);
        chain.push((about.class, from.or(own), about.place));
        let blockers = about.blockers.iter();
        let blocker = blockers.max_by_key(|&&source| leaves[waits.sources[source].class]).copied();
        from = blocker.map(|source| waits.sources[source].place);
        target = blocker.and_then(|source| {
            let class = waits.sources[source].class;
            waits.targets_of[class].iter().copied().min_by_key(|&target| levels[target])
        });
    }
    chain.reverse();
    Some(chain)
}

/// What has to happen over what may happen in a round.
fn by_limits(transition: &Transition, waits: &Waits) -> u64 {
    let limits = transition.limits;
    let over = |number: usize, most: Option<u32>| {
        most.map_or(0, |most| (number as u64).div_ceil(u64::from(most.max(1))))
    };
    let busiest = |places: &mut dyn Iterator<Item = Place>| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        places.for_each(|place| *counts.entry(transition.node_of(place.gpu)).or_default() += 1);
        counts.into_values().max().unwrap_or(0)
    };
    let node = limits.max_parallel_per_node;
    let mut rounds = over(waits.targets.len(), limits.max_parallel)
        .max(over(busiest(&mut waits.targets.iter().map(|target| target.place)), node))
        .max(over(busiest(&mut waits.sources.iter().map(|source| source.place)), node));
    for (number, budget) in transition.cluster.budgets.iter().enumerate() {
        let restarts: usize = transition
            .classes
            .iter()
            .filter(|class| class.handover == Handover::Restart)
            .filter(|class| class.budgets.iter().any(|own| own.index() == number))
            .map(Class::movers)
            .sum();
        rounds = rounds.max(over(restarts, Some(budget.allowed).filter(|&allowed| allowed > 0)));
    }
    rounds.max(u64::from(!(waits.targets.is_empty() && waits.sources.is_empty())))
}

/// The longest chain of classes that are on no circle.
fn beside_knots(graph: &[Vec<usize>]) -> u64 {
    let tied: BTreeSet<usize> = knots(graph).into_iter().flatten().collect();
    let mut lengths = vec![0_u64; graph.len()];
    // What is free of circles settles after as many passes as the longest chain has moves.
    loop {
        let mut changed = false;
        for class in (0..graph.len()).filter(|class| !tied.contains(class)) {
            let next = graph[class].iter().filter(|next| !tied.contains(next));
            let length = 1 + next.map(|&next| lengths[next]).max().unwrap_or(0);
            changed |= length != lengths[class];
            lengths[class] = length;
        }
        if !changed {
            return if graph.iter().any(|next| !next.is_empty()) {
                lengths.into_iter().max().unwrap_or(0)
            } else {
                1
            };
        }
    }
}
