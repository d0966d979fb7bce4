//! From what was kept of a slot to joint states of the next one under some phases.
//!
//! What a joint state loses is what the old one lost, what the slot pays for the dearest contents and what the models' rests were worth,
//! less what each model *gains* in its state: the worth of the slot and of those after it, its prices in the slot not taken off. So before
//! states are chosen one model after the other, it is known how little can be lost at best beside the instances chosen so far.

use super::fit_table::FitTable;
use super::index::{Condition, FitIndex, Slot, StateIndex};
use super::kept::{Gathered, Kept, Old, Phases};
use super::list::List;
use super::potential::Potential;
use super::pricing::{NEVER, plus};
use super::rests::Phase;
use crate::instance::ModelIndex;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A state that a model may enter.
#[derive(Clone, Copy)]
struct Arrival {
    gain: i64,
    state: StateIndex,
    instances: FitIndex,
}

/// The states that a model may enter in a phase.
struct Arrivals {
    /// By what they need, the greatest gain first.
    by_need: List<Condition, Vec<Arrival>>,
    /// The greatest gain with each allocation.
    best: Vec<(FitIndex, i64)>,
    /// The greatest gain.
    most: i64,
}

/// The ways into the joint states of a slot.
pub struct Entrances<'s, 'a, 'p> {
    potential: &'s Potential<'a, 'p>,
    slot: Slot,
    arrivals: BTreeMap<(ModelIndex, Phase), Rc<Arrivals>>,
    /// By phases; none where what runs does not fit.
    by_phases: BTreeMap<Phases, Option<Entrance<'s, 'a, 'p>>>,
    /// How many there are.
    count: u32,
}

/// The way into the joint states of a slot under some phases.
struct Entrance<'s, 'a, 'p> {
    potential: &'s Potential<'a, 'p>,
    /// The number of the phases.
    number: u32,
    arrivals: List<ModelIndex, Rc<Arrivals>>,
    /// The instances of what runs.
    held: FitIndex,
    /// What the slot pays at most.
    dearest: i64,
    /// The most that each model and those after it can gain, if everything fits; one entry more than models.
    most: Vec<i64>,
    /// The same beside instances that are held.
    most_beside: Vec<List<FitIndex, i64>>,
}

impl<'s, 'a, 'p> Entrances<'s, 'a, 'p> {
    /// Of a slot.
    pub fn new(potential: &'s Potential<'a, 'p>, slot: Slot) -> Self {
        Entrances { potential, slot, arrivals: BTreeMap::new(), by_phases: BTreeMap::new(), count: 0 }
    }

    /// Gathers all joint states that can follow old ones, under each of the phases that every model may have.
    pub fn enter(&mut self, phases: &List<ModelIndex, Vec<Phase>>, old: &[Old], gathered: &mut Gathered) {
        // The most that each model and those after it can gain in any phase.
        let mut most = vec![0; phases.len() + 1];
        for (model, phases) in phases.entries().collect::<Vec<_>>().into_iter().rev() {
            let of_phases = phases.iter().map(|&phase| self.arrivals(model, phase).most);
            most[model.index()] = plus(of_phases.max().unwrap_or(NEVER), most[model.index() + 1]);
        }
        let dearest = self.potential.dearest[self.slot].price;
        let least = old.iter().map(|old| old.loss + old.values.iter().sum::<i64>()).min();
        if let Some(least) = least.filter(|_| most[0] > NEVER) {
            let mut chosen = Phases::from(Vec::with_capacity(phases.len()));
            self.enter_from(phases, &most, least + dearest, &mut chosen, old, gathered);
        }
    }

    /// Chooses a phase for a model, then phases for those after it; `loss` is what is lost at least if nothing more is gained.
    fn enter_from(
        &mut self,
        phases: &List<ModelIndex, Vec<Phase>>,
        most: &[i64],
        loss: i64,
        chosen: &mut Phases,
        old: &[Old],
        gathered: &mut Gathered,
    ) {
        let model = ModelIndex::at(chosen.len());
        let Some(of_model) = phases.get(model.index()) else {
            self.enter_one(chosen, old, gathered);
            return;
        };
        for &phase in of_model {
            let gain = self.arrivals(model, phase).most;
            if gain > NEVER && loss - gain - most[model.index() + 1] <= gathered.most {
                chosen.push(phase);
                self.enter_from(phases, most, loss - gain, chosen, old, gathered);
                chosen.pop();
            }
        }
    }

    fn enter_one(&mut self, phases: &Phases, old: &[Old], gathered: &mut Gathered) {
        match self.by_phases.get(phases) {
            Some(Some(entrance)) => entrance.enter(old, gathered),
            Some(None) => {}
            None => {
                let entrance = self.open(phases);
                if let Some(entrance) = &entrance {
                    entrance.enter(old, gathered);
                }
                self.by_phases.insert(phases.clone(), entrance);
            }
        }
    }

    /// The phases by their numbers.
    pub fn into_phases(self) -> Vec<Phases> {
        let entrances = self.by_phases.into_iter();
        let mut phases: Vec<(u32, Phases)> =
            entrances.filter_map(|(phases, entrance)| Some((entrance?.number, phases))).collect();
        phases.sort_by_key(|&(number, _)| number);
        phases.into_iter().map(|(_, phases)| phases).collect()
    }

    fn arrivals(&mut self, model: ModelIndex, phase: Phase) -> &Rc<Arrivals> {
        let (potential, slot) = (self.potential, self.slot);
        let arrivals = self.arrivals.entry((model, phase));
        arrivals.or_insert_with(|| Rc::new(Arrivals::new(potential, slot, model, phase)))
    }

    fn open(&mut self, phases: &Phases) -> Option<Entrance<'s, 'a, 'p>> {
        let joint = self.potential.joint;
        let mut held = FitIndex::NOTHING;
        for (task, phase) in joint.tasks.iter().zip(phases.iter()) {
            if let Some(retraining) = phase.running() {
                held = joint.fits.sum(held, task.retrainings[retraining].instance)?;
            }
        }
        let arrivals = phases.entries().map(|(model, &phase)| self.arrivals(model, phase).clone());
        let arrivals: List<ModelIndex, Rc<Arrivals>> = arrivals.collect();
        let mut most = vec![0; arrivals.len() + 1];
        for (model, arrivals) in arrivals.iter().enumerate().rev() {
            most[model] = plus(arrivals.most, most[model + 1]);
        }
        let number = self.count;
        self.count += 1;
        Some(Entrance {
            potential: self.potential,
            number,
            held,
            dearest: self.potential.dearest[self.slot].price,
            most,
            most_beside: most_beside(&joint.fits, &arrivals),
            arrivals,
        })
    }
}

/// The most that each model and those after it can gain beside instances.
fn most_beside(fits: &FitTable, arrivals: &List<ModelIndex, Rc<Arrivals>>) -> Vec<List<FitIndex, i64>> {
    let mut most: Vec<List<FitIndex, i64>> = vec![fits.numbers().map(|_| 0).collect()];
    for arrivals in arrivals.iter().rev() {
        let after = &most[most.len() - 1];
        let beside = |held: FitIndex| {
            let gains = arrivals.best.iter();
            let gains =
                gains.filter_map(|&(instances, gain)| Some(plus(gain, after[fits.sum(held, instances)?])));
            gains.max().unwrap_or(NEVER)
        };
        most.push(fits.numbers().map(beside).collect());
    }
    most.reverse();
    most
}

impl Arrivals {
    fn new(potential: &Potential<'_, '_>, slot: Slot, model: ModelIndex, phase: Phase) -> Self {
        let task = &potential.joint.tasks[model];
        let prices = potential.prices.allocations[model].row(slot);
        let of_running =
            phase.running().map_or(0, |running| potential.prices.retrainings[model][(running, slot)]);
        let mut by_need: List<Condition, Vec<Arrival>> = List::filled(task.conditions, Vec::new());
        let mut best: Vec<(FitIndex, i64)> = Vec::new();
        for (state, value) in potential.rests[model].arrivals(slot, phase) {
            let allocation = task.allocation_of(state);
            let instances = task.instances[allocation];
            let gain = value + prices[allocation.index()] + of_running;
            by_need[task.needs[state]].push(Arrival { gain, state, instances });
            match best.iter_mut().find(|(held, _)| *held == instances) {
                Some((_, most)) => *most = gain.max(*most),
                None => best.push((instances, gain)),
            }
        }
        for arrivals in by_need.iter_mut() {
            arrivals.sort_by_key(|arrival| Reverse(arrival.gain));
        }
        let most = best.iter().map(|&(_, gain)| gain).max().unwrap_or(NEVER);
        Arrivals { by_need, best, most }
    }
}

/// A joint state that is being put together.
#[derive(Clone, Copy)]
struct Partial {
    /// What is lost if nothing more is gained.
    loss: i64,
    held: FitIndex,
    states: u128,
}

impl Entrance<'_, '_, '_> {
    /// Gathers all joint states that can follow the old ones.
    fn enter(&self, old: &[Old], gathered: &mut Gathered) {
        let most = self.most_beside[0][self.held];
        if most == NEVER {
            return;
        }
        for old in old {
            let loss = old.loss + self.dearest + old.values.iter().sum::<i64>();
            if loss - most <= gathered.most {
                self.extend(0, Partial { loss, held: self.held, states: 0 }, old, gathered);
            }
        }
    }

    /// Chooses states for a model and those after it.
    fn extend(&self, model: usize, partial: Partial, old: &Old, gathered: &mut Gathered) {
        let Some(task) = self.potential.joint.tasks.get(model) else {
            let (phases, from, states) = (self.number, old.position, partial.states);
            gathered.push(Kept { loss: partial.loss, phases, from, states });
            return;
        };
        let by_need = &self.arrivals[ModelIndex::at(model)].by_need;
        match old.states {
            None => {
                let opening = by_need.iter().flatten().filter(|arrival| task.opens[arrival.state]);
                for arrival in opening {
                    self.choose(model, partial, arrival, old, gathered);
                }
            }
            Some(states) => {
                let given = task.gives[self.potential.packing.state(states, ModelIndex::at(model))];
                let staying = if given == Condition::NONE { &[][..] } else { &by_need[given] };
                for arrivals in [&by_need[Condition::NONE][..], staying] {
                    for arrival in arrivals {
                        if partial.loss - arrival.gain - self.most[model + 1] > gathered.most {
                            break;
                        }
                        self.choose(model, partial, arrival, old, gathered);
                    }
                }
            }
        }
    }

    /// Chooses a state for a model, then states for those after it.
    fn choose(&self, model: usize, partial: Partial, arrival: &Arrival, old: &Old, gathered: &mut Gathered) {
        let Some(held) = self.potential.joint.fits.sum(partial.held, arrival.instances) else { return };
        let rest = self.most_beside[model + 1][held];
        let loss = partial.loss - arrival.gain;
        if rest == NEVER || loss - rest > gathered.most {
            return;
        }
        let states = self.potential.packing.with(partial.states, ModelIndex::at(model), arrival.state);
        self.extend(model + 1, Partial { loss, held, states }, old, gathered);
    }
}
