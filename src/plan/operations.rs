//! What is done to GPUs and workloads, one thing after the other.

use crate::moves::{Kind, Plan};
use crate::place::Place;
use crate::transition::Transition;
use cluster::{GpuIndex, WorkloadIndex};
use mig::GpuInstance;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A GPU instance is made.
    Create(Place),
    /// An idle GPU instance is removed.
    Destroy(Place),
    /// A GPU on which nothing runs is laid out anew.
    Repartition(GpuIndex, Vec<GpuInstance>),
    /// A copy of a workload starts on an instance.
    Start(WorkloadIndex, Place),
    /// The copy on this instance takes over.
    Switch(WorkloadIndex, Place),
    /// The copy on this instance stops.
    Stop(WorkloadIndex, Place),
}

/// The operations of each round of a plan, in an order in which they can be done one after the other.
pub fn operations(transition: &Transition, plan: &Plan) -> Vec<Vec<Operation>> {
    let mut layouts = Layouts::of(transition);
    plan.rounds
        .iter()
        .enumerate()
        .map(|(number, round)| {
            let mut done = layouts.before(transition, plan, number);
            for step in round {
                let creates = step.to.filter(|place| transition.unit_of(place.gpu).is_none());
                let destroys = step.from.filter(|place| transition.unit_of(place.gpu).is_none());
                let stop = step.from.map(|place| Operation::Stop(step.workload, place));
                let start = step.to.map(|place| Operation::Start(step.workload, place));
                let switch = step.to.map(|place| Operation::Switch(step.workload, place));
                let create = creates.map(Operation::Create);
                let destroy = destroys.map(Operation::Destroy);
                let ordered = match step.kind {
                    Kind::Surge => [create, start, switch, stop, destroy],
                    Kind::Restart => [create, stop, start, destroy, None],
                    Kind::Stop => [stop, destroy, None, None, None],
                    Kind::Start => [create, start, None, None, None],
                };
                done.extend(ordered.into_iter().flatten());
            }
            done
        })
        .collect()
}

/// The instances of GPUs that are laid out as a whole, while a plan is carried out.
struct Layouts {
    now: BTreeMap<GpuIndex, BTreeSet<GpuInstance>>,
    held: BTreeSet<Place>,
}

impl Layouts {
    fn of(transition: &Transition) -> Self {
        let mut now: BTreeMap<GpuIndex, BTreeSet<GpuInstance>> = BTreeMap::new();
        let mut held = BTreeSet::new();
        for (_, place) in transition.present() {
            held.insert(place);
            now.entry(place.gpu).or_default().insert(place.instance);
        }
        Layouts { now, held }
    }

    /// The GPUs that are laid out anew before the moves of a round; then does the moves.
    fn before(&mut self, transition: &Transition, plan: &Plan, number: usize) -> Vec<Operation> {
        let entered = plan.rounds[number].iter().filter_map(|step| step.to);
        let units: BTreeSet<usize> = entered.filter_map(|place| transition.unit_of(place.gpu)).collect();
        let in_unit = |place: &Place, unit| transition.unit_of(place.gpu) == Some(unit);
        let mut done = Vec::new();
        for unit in units {
            if self.held.iter().any(|place| in_unit(place, unit)) {
                continue;
            }
            for (gpu, needed) in needed(plan, number, |place| in_unit(place, unit)) {
                let layout = self.now.entry(gpu).or_default();
                if !needed.is_subset(layout) {
                    done.push(Operation::Repartition(gpu, needed.iter().copied().collect()));
                    *layout = needed;
                }
            }
        }
        for step in &plan.rounds[number] {
            step.from.map(|place| self.held.remove(&place));
            self.held.extend(step.to);
        }
        done
    }
}

/// The instances that the GPUs of a unit have to have from a round on: those entered there until all of it is empty again.
fn needed(
    plan: &Plan,
    number: usize,
    in_unit: impl Fn(&Place) -> bool,
) -> BTreeMap<GpuIndex, BTreeSet<GpuInstance>> {
    let mut held: BTreeSet<Place> = BTreeSet::new();
    let mut needed: BTreeMap<GpuIndex, BTreeSet<GpuInstance>> = BTreeMap::new();
    for (later, round) in plan.rounds.iter().enumerate().skip(number) {
        if later > number && held.is_empty() {
            break;
        }
        for place in round.iter().filter_map(|step| step.from) {
            held.remove(&place);
        }
        for place in round.iter().filter_map(|step| step.to).filter(&in_unit) {
            held.insert(place);
            needed.entry(place.gpu).or_default().insert(place.instance);
        }
    }
    needed
}
