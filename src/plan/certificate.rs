//! Bounds that can be checked without a search: chains and circles of moves that wait for each other.
//!
//! All of it rests on one fact about plans without temporary places and stops: a place of the target can be entered only after the
//! places of others that overlap it are left, and a class leaves a place in the round in which it enters one of its targets.

use crate::class::Class;
use crate::document::{Bound, By, Counts, PlanFile, WayEntry, spot};
use crate::finding::Finding;
use crate::place::Place;
use crate::transition::Transition;
use cluster::Handover;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A bound of a plan, and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Certified {
    /// What it bounds.
    pub objective: &'static str,
    /// The bound.
    pub value: u64,
    /// Whether it was checked here: those found by a search are not.
    pub checked: bool,
}

/// Checks the bounds of a plan: what is known about them, and those that are refuted.
pub fn check(file: &PlanFile, transition: &Transition, counts: &Counts) -> (Vec<Certified>, Vec<Finding>) {
    let Some(bounds) = &file.bounds else { return (Vec::new(), Vec::new()) };
    let all = [
        ("stops", &bounds.stops, counts.stops),
        ("downtime", &bounds.downtime, counts.downtime),
        ("bounces", &bounds.bounces, counts.bounces),
        ("rounds", &bounds.rounds, counts.rounds),
        ("moves", &bounds.moves, counts.moves),
        ("plugin-restarts", &bounds.plugin_restarts, counts.plugin_restarts),
        ("gpus", &bounds.gpus, counts.gpus),
    ];
    let (mut certified, mut findings) = (Vec::new(), Vec::new());
    for (objective, bound, value) in all {
        let Some(bound) = bound else { continue };
        let mut refute = |message: String| {
            findings.push(Finding { rule: "bound", message: format!("{objective}: {message}") });
        };
        let is_minimised = file.minimize.iter().any(|name| name == objective);
        if bound.value > value {
            refute(format!("no plan is said to go below {}, and this one has {value}", bound.value));
        }
        if file.proved && is_minimised && bound.value != value {
            refute(format!("it is said to be proved, but has {value} where the bound is {}", bound.value));
        }
        match checked(objective, bound, file, transition, counts) {
            Ok(checked) => certified.push(Certified { objective, value: bound.value, checked }),
            Err(message) => refute(message),
        }
    }
    if file.proved {
        for name in &file.minimize {
            let known = all.iter().find(|(objective, ..)| objective == name);
            if known.is_none_or(|(_, bound, _)| bound.is_none()) {
                let message = format!("it is said to be proved, but has no bound of `{name}`");
                findings.push(Finding { rule: "bound", message });
            }
        }
    }
    (certified, findings)
}

/// Whether a bound was checked; false for one that only a search can find.
fn checked(
    objective: &str,
    bound: &Bound,
    file: &PlanFile,
    transition: &Transition,
    counts: &Counts,
) -> Result<bool, String> {
    match bound.by {
        By::Search => Ok(false),
        _ if file.promise.is_some() => Ok(false),
        By::Difference => match difference(objective, transition) {
            Some(known) if bound.value <= known => Ok(true),
            Some(known) => Err(format!("the difference to the target tells {known}, not {}", bound.value)),
            None => Err("the difference to the target tells nothing about it".to_owned()),
        },
        By::Chain => {
            if counts.bounces > 0 || counts.stops > counts.restarts {
                return Err("a chain bounds plans without temporary places and stops alone".to_owned());
            }
            check_chain(bound, transition)?;
            // Before `stops` and `bounces`, fewer rounds could be had at their cost.
            Ok(comes_after(&file.minimize, objective, &["stops", "bounces"]))
        }
        By::Cycles => {
            check_cycles(bound, transition)?;
            Ok(true)
        }
        By::Stuck => match (bound.value, is_stuck(transition)) {
            (..=1, true) => Ok(true),
            (_, true) => Err("that no workload can move proves one stop, not more".to_owned()),
            (_, false) => Err("some workload can move".to_owned()),
        },
        By::Limits => match limits(transition) {
            known if bound.value <= known => Ok(true),
            known => Err(format!("the limits ask for {known} rounds, not {}", bound.value)),
        },
    }
}

fn comes_after(order: &[String], objective: &str, earlier: &[&str]) -> bool {
    let position = |name: &str| order.iter().position(|known| known == name);
    earlier
        .iter()
        .all(|name| position(name).is_some_and(|at| position(objective).is_some_and(|own| at < own)))
}

/// What the difference between the present and the target tells.
fn difference(objective: &str, transition: &Transition) -> Option<u64> {
    let classes = transition.classes.iter();
    let movers = |class: &Class| class.movers() as u64;
    match objective {
        "stops" => Some(classes.filter(|class| class.handover == Handover::Restart).map(movers).sum()),
        "moves" => Some(classes.map(movers).sum()),
        "downtime" | "bounces" => Some(0),
        "rounds" => Some(u64::from(transition.classes.iter().any(|class| class.present != class.target))),
        "gpus" => {
            let changed = classes.flat_map(|class| class.sources().chain(class.targets()));
            Some(changed.map(|place| place.gpu).collect::<BTreeSet<_>>().len() as u64)
        }
        _ => None,
    }
}

/// Rounds that the limits ask for: what has to happen, over what may happen in one round.
fn limits(transition: &Transition) -> u64 {
    let over = |number: usize, most: Option<u32>| {
        most.map_or(0, |most| (number as u64).div_ceil(u64::from(most.max(1))))
    };
    let targets = || transition.classes.iter().flat_map(Class::targets);
    let sources = || transition.classes.iter().flat_map(Class::sources);
    let per_node = |places: &mut dyn Iterator<Item = Place>| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for place in places {
            *counts.entry(transition.node_of(place.gpu)).or_default() += 1;
        }
        counts.into_values().max().unwrap_or(0)
    };
    let node = transition.limits.max_parallel_per_node;
    let mut most = over(targets().count(), transition.limits.max_parallel)
        .max(over(per_node(&mut targets()), node))
        .max(over(per_node(&mut sources()), node));
    for (number, budget) in transition.cluster.budgets.iter().enumerate() {
        let under = transition.classes.iter().filter(|class| {
            class.handover == Handover::Restart && class.budgets.iter().any(|own| own.index() == number)
        });
        let restarts: usize = under.map(Class::movers).sum();
        most = most.max(over(restarts, Some(budget.allowed).filter(|&allowed| allowed > 0)));
    }
    most
}

/// A move of a certificate with its class.
struct Way {
    class: usize,
    from: Option<Place>,
    to: Place,
}

fn ways(entries: &[WayEntry], transition: &Transition) -> Result<Vec<Way>, String> {
    let cluster = &transition.cluster;
    let way = |entry: &WayEntry| {
        let named =
            |workload: &cluster::WorkloadIndex| cluster.workloads[workload.index()].name == entry.workload;
        let workload = cluster.workload_indices().find(named);
        let workload = workload.ok_or_else(|| format!("there is no `{}`", entry.workload))?;
        let location = cluster.workloads[workload.index()].current;
        let from = location.and_then(|location| transition.place(workload, location));
        if from.map(|place| spot(cluster, place)) != entry.from {
            return Err(format!("`{}` is not where it says", entry.workload));
        }
        let class = transition.class_of[workload.index()];
        let class = class.ok_or_else(|| format!("`{}` is pinned", entry.workload))?;
        let to = transition.classes[class].targets().find(|place| spot(cluster, *place) == entry.to);
        let to = to.ok_or_else(|| format!("no workload like `{}` goes where it says", entry.workload))?;
        if from.is_some_and(|from| transition.classes[class].target.contains(&from)) {
            return Err(format!("one like `{}` may stay where it is", entry.workload));
        }
        Ok(Way { class, from, to })
    };
    entries.iter().map(way).collect()
}

fn check_chain(bound: &Bound, transition: &Transition) -> Result<(), String> {
    let ways = ways(&bound.chain, transition)?;
    let levels = levels(transition);
    let length = bound.chain.len() as u64;
    if length != bound.value {
        return Err(format!("a chain of {length} moves is no proof of {}", bound.value));
    }
    for (number, way) in ways.iter().enumerate() {
        let is_last = number + 1 == ways.len();
        // Before the last one, whichever of the class moves frees the place; the last one is about its own.
        let entered = transition.classes[way.class].targets().filter(|to| !is_last || *to == way.to);
        let earliest = entered.filter_map(|to| levels.get(&(way.class, to))).min();
        if earliest.is_none_or(|&level| level < number as u64 + 1) {
            return Err(format!("{} of the chain can be made earlier", nth(number)));
        }
        let before = number.checked_sub(1).map(|before| ways[before].from);
        if before.is_some_and(|from| !from.is_some_and(|from| way.to.excludes(from, &transition.cluster))) {
            return Err(format!("{} of the chain does not wait for the one before", nth(number)));
        }
    }
    Ok(())
}

fn nth(number: usize) -> String {
    format!("move {}", number + 1)
}

/// The round in which each place of the target can be entered at the earliest, without temporary places and stops; what is not in
/// the map can never be.
pub fn levels(transition: &Transition) -> BTreeMap<(usize, Place), u64> {
    let cluster = &transition.cluster;
    let mut blockers: BTreeMap<(usize, Place), Vec<usize>> = BTreeMap::new();
    for (number, class) in transition.classes.iter().enumerate() {
        for to in class.targets() {
            let left = transition.classes.iter().enumerate().flat_map(|(other, class)| {
                let overlapping = class.sources().filter(move |from| from.excludes(to, cluster));
                overlapping.map(move |_| other)
            });
            blockers.insert((number, to), left.collect());
        }
    }
    let mut levels: BTreeMap<(usize, Place), u64> = BTreeMap::new();
    // Round by round: what all of its blockers' classes could have left before.
    for round in 1..=blockers.len() as u64 {
        let can_leave = |class: &usize| levels.keys().any(|(other, _)| other == class);
        let is_free = |waits: &Vec<usize>| {
            waits
                .iter()
                .all(|class| can_leave(class) || round > 1 && transition.classes[*class].leavers() > 0)
        };
        let open = blockers.iter().filter(|(to, waits)| !levels.contains_key(to) && is_free(waits));
        let entered: Vec<(usize, Place)> = open.map(|(to, _)| *to).collect();
        if entered.is_empty() && round > 1 {
            break;
        }
        levels.extend(entered.into_iter().map(|to| (to, round)));
    }
    levels
}

/// Each circle holds all targets of its classes, and each target waits for one of its places; no class is in two circles.
fn check_cycles(bound: &Bound, transition: &Transition) -> Result<(), String> {
    if bound.cycles.len() as u64 != bound.value {
        return Err(format!("{} circles are no proof of {}", bound.cycles.len(), bound.value));
    }
    let mut seen = BTreeSet::new();
    for cycle in &bound.cycles {
        let ways = ways(cycle, transition)?;
        if ways.is_empty() {
            return Err("a circle is empty".to_owned());
        }
        let entered: BTreeSet<(usize, Place)> = ways.iter().map(|way| (way.class, way.to)).collect();
        let classes: BTreeSet<usize> = ways.iter().map(|way| way.class).collect();
        if let Some(class) = classes.iter().find(|class| !seen.insert(**class)) {
            let name = &transition.cluster.workloads[transition.classes[*class].members[0].index()].name;
            return Err(format!("`{name}` or one like it is in two circles"));
        }
        for &class in &classes {
            if !transition.classes[class].targets().all(|to| entered.contains(&(class, to))) {
                return Err("one of a circle may go to a place outside of it".to_owned());
            }
        }
        for &(_, to) in &entered {
            if !ways.iter().filter_map(|way| way.from).any(|from| from.excludes(to, &transition.cluster)) {
                let place = to.name(&transition.cluster);
                return Err(format!("no workload of the circle is in the way of {place}"));
            }
        }
    }
    Ok(())
}

/// Whether no workload that runs has any legal place to go to before one stops, on a GPU in service and a node that admits it.
pub fn is_stuck(transition: &Transition) -> bool {
    let cluster = &transition.cluster;
    let mut on: BTreeMap<cluster::GpuIndex, Vec<mig::GpuInstance>> = BTreeMap::new();
    for (_, place) in transition.present() {
        on.entry(place.gpu).or_default().push(place.instance);
    }
    let has_room = |class: usize| {
        let request = &cluster.requests[transition.classes[class].request.index()];
        cluster.gpu_indices().filter(|&gpu| transition.may_enter(class, gpu)).any(|gpu| {
            let index = cluster.gpus[gpu.index()].board.index();
            let Some(profile) = request.on_board[index] else { return false };
            let held = on.get(&gpu).cloned().unwrap_or_default();
            cluster.boards[index].profile(profile).starts.iter().any(|&start| {
                let with = [held.as_slice(), &[mig::GpuInstance { profile, start }]].concat();
                crate::place::illegal(cluster, gpu, &with).is_none()
            })
        })
    };
    transition.backend.unit() == crate::Unit::Instance
        && transition.classes.iter().any(|class| class.sources().next().is_some())
        && !(0..transition.classes.len())
            .any(|class| !transition.classes[class].present.is_empty() && has_room(class))
}
