//! Who is who: names for a plan without names.

use crate::history::History;
use cluster::{Handover, WorkloadIndex};
use plan::{Class, Kind, Move, Place, Plan, Transition};
use std::collections::{BTreeMap, VecDeque};

/// Gives names. Whoever can go straight to its own place of the target does; all else is in the order of the cluster.
pub fn named(transition: &Transition, history: &History) -> Plan {
    let mut rosters: Vec<Roster<'_>> =
        transition.classes.iter().map(|class| Roster::of(transition, class)).collect();
    let mut plan = Plan::default();
    for steps in &history.rounds {
        let mut moves = Vec::new();
        for (&class, step) in steps {
            let roster = &mut rosters[class];
            let (mut left, mut entered) = (step.left.clone(), step.entered.clone());
            left.sort_unstable();
            entered.sort_unstable();
            let mut leaving: Vec<(WorkloadIndex, Place)> = left
                .iter()
                .map(|place| (roster.at.remove(place).expect("there is a workload"), *place))
                .collect();
            // First those who end for good: whom the target has no place for.
            for _ in 0..step.gone {
                let ends = |(workload, _): &(WorkloadIndex, Place)| transition.target.of(*workload).is_none();
                let position = leaving.iter().position(ends).unwrap_or(leaving.len() - 1);
                let (workload, from) = leaving.remove(position);
                moves.push(Move { workload, from: Some(from), to: None, kind: Kind::Stop, via: false });
            }
            let count = step.moved();
            let kind = match roster.class.handover {
                Handover::Surge => Kind::Surge,
                Handover::Restart => Kind::Restart,
            };
            let mut pairs = Vec::new();
            for own in [true, false] {
                let mut rest = Vec::new();
                for (workload, from) in leaving {
                    let wanted = |place: &Place| !own || roster.target(transition, workload) == Some(*place);
                    match entered.iter().position(wanted).filter(|_| pairs.len() < count) {
                        Some(position) => pairs.push((workload, from, entered.remove(position))),
                        None => rest.push((workload, from)),
                    }
                }
                leaving = rest;
            }
            for (workload, from, to) in pairs {
                roster.at.insert(to, workload);
                moves.push(Move { workload, from: Some(from), to: Some(to), kind, via: false });
            }
            for to in entered {
                let back = roster.stopped.pop_front().or_else(|| roster.newcomers.pop_front());
                let workload = back.expect("there is a workload to start");
                roster.at.insert(to, workload);
                moves.push(Move { workload, from: None, to: Some(to), kind: Kind::Start, via: false });
            }
            for (workload, from) in leaving {
                roster.stopped.push_back(workload);
                moves.push(Move { workload, from: Some(from), to: None, kind: Kind::Stop, via: false });
            }
        }
        moves.sort_unstable();
        plan.rounds.push(moves);
    }
    mark_temporary(&mut plan);
    plan
}

/// Where the members of a class are.
struct Roster<'t> {
    class: &'t Class,
    at: BTreeMap<Place, WorkloadIndex>,
    stopped: VecDeque<WorkloadIndex>,
    newcomers: VecDeque<WorkloadIndex>,
}

impl<'t> Roster<'t> {
    fn of(transition: &Transition, class: &'t Class) -> Self {
        let (mut at, mut newcomers) = (BTreeMap::new(), Vec::new());
        for &workload in &class.members {
            let location = transition.cluster.workloads[workload.index()].current;
            match location.and_then(|location| transition.place(workload, location)) {
                Some(place) => drop(at.insert(place, workload)),
                None => newcomers.push(workload),
            }
        }
        // Those whom the target has a place for come first.
        newcomers.sort_by_key(|&workload| transition.target.of(workload).is_none());
        Roster { class, at, stopped: VecDeque::new(), newcomers: newcomers.into() }
    }

    fn target(&self, transition: &Transition, workload: WorkloadIndex) -> Option<Place> {
        transition.target.of(workload).and_then(|location| transition.place(workload, location))
    }
}

/// Marks the places from which a workload moves on.
fn mark_temporary(plan: &mut Plan) {
    let mut last: BTreeMap<WorkloadIndex, (usize, usize)> = BTreeMap::new();
    let mut temporary = Vec::new();
    for (round, moves) in plan.rounds.iter().enumerate() {
        for (position, step) in moves.iter().enumerate().filter(|(_, step)| step.to.is_some()) {
            temporary.extend(last.insert(step.workload, (round, position)));
        }
    }
    for (round, position) in temporary {
        plan.rounds[round][position].via = true;
    }
}
