//! What the rest of the window is worth to one model at most, under prices: by what its retraining has come to, slot and state.
//!
//! Before its retraining a model waits; then it runs towards a known end; then it is done. The prices of a whole run are paid at its
//! start. With V the value of the rest and w what a slot is worth less its price, a step from slot s to s + 1 loses
//! `V(s) − (w(s + 1) + V(s + 1))`: never less than 0, and 0 for the best step.

use super::domain::Domain;
use super::index::{Condition, Layer, RetrainingIndex, Slot, Start, StateIndex, each};
use super::joint::Joint;
use super::list::{List, Table};
use super::paths::RunPrices;
use super::pricing::{NEVER, Prices, plus};
use super::states::TaskStates;
use crate::instance::ModelIndex;

/// What the retraining of a model has come to in a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// It has not begun.
    Waiting,
    /// It runs.
    Running(Start),
    /// It is complete.
    Done,
}

impl Phase {
    /// What runs.
    pub fn running(self) -> Option<RetrainingIndex> {
        match self {
            Phase::Running(start) => Some(start.retraining),
            Phase::Waiting | Phase::Done => None,
        }
    }
}

/// Values of states in some slots in a row.
struct Values {
    first: Slot,
    of: Table<Slot, StateIndex, i64>,
}

impl Values {
    fn filled(slots: std::ops::Range<Slot>, states: usize, value: i64) -> Self {
        let count = slots.end.index() - slots.start.index();
        Values { first: slots.start, of: Table::filled(count, states, value) }
    }

    fn row(&self, slot: Slot) -> &[i64] {
        self.of.row(Slot(slot.0 - self.first.0))
    }

    fn row_mut(&mut self, slot: Slot) -> &mut [i64] {
        self.of.row_mut(Slot(slot.0 - self.first.0))
    }
}

/// What the rest of the window is worth to a model.
pub struct Rests<'a> {
    task: &'a TaskStates,
    prices: &'a Prices<i64>,
    model: ModelIndex,
    end: Slot,
    runs: RunPrices,
    waiting: Values,
    /// By the slot before which the retraining is complete, where a start leads there; from the first such start on.
    running: List<Slot, Option<Values>>,
    done: Values,
}

impl<'a> Rests<'a> {
    /// Of a model whose open starts are these.
    pub fn new(joint: &'a Joint<'_>, domain: &Domain, prices: &'a Prices<i64>, model: ModelIndex) -> Self {
        let task = &joint.tasks[model];
        let (end, states) = (joint.end(), task.count());
        let mut rests = Rests {
            task,
            prices,
            model,
            end,
            runs: RunPrices::new(&prices.retrainings[model], joint.slot_count()),
            waiting: Values::filled(Slot::FIRST..end, states, NEVER),
            running: (0..=end.0).map(|_| None).collect(),
            done: Values::filled(Slot::FIRST..end, states, 0),
        };
        rests.fill_done();
        let mut firsts: List<Slot, Option<Slot>> = List::filled(end.later(1).index(), None);
        let mut by_slot: List<Slot, Vec<Start>> = List::filled(end.index(), Vec::new());
        for &start in domain.starts(model) {
            let first = &mut firsts[task.run_of(start).end];
            *first = Some(first.map_or(start.from, |first| first.min(start.from)));
            by_slot[start.from].push(start);
        }
        for (completed, first) in firsts.entries() {
            rests.running[completed] = first.map(|first| rests.running_towards(completed, first));
        }
        rests.fill_waiting(&by_slot);
        rests
    }

    /// The value of the best path of the model: nothing has happened yet.
    pub fn whole(&self, domain: &Domain) -> i64 {
        let waiting = self.arrivals(Slot::FIRST, Phase::Waiting);
        let starting = domain.starts(self.model).iter().filter(|start| start.from == Slot::FIRST);
        let starting = starting.flat_map(|&start| self.arrivals(Slot::FIRST, Phase::Running(start)));
        let opens = |&(state, _): &(StateIndex, i64)| self.task.opens[state];
        waiting.into_iter().chain(starting).filter(opens).map(|(_, value)| value).max().unwrap_or(NEVER)
    }

    /// What the slots after one are worth, by state.
    pub fn after(&self, slot: Slot, phase: Phase) -> &[i64] {
        match phase {
            Phase::Waiting => self.waiting.row(slot),
            Phase::Running(start) => {
                let values = self.running[self.task.run_of(start).end].as_ref();
                values.expect("an open start leads there").row(slot)
            }
            Phase::Done => self.done.row(slot),
        }
    }

    /// What a slot and those after it are worth to a model that is in this phase there, by state; a retraining that starts in the slot is
    /// paid.
    pub fn arrivals(&self, slot: Slot, phase: Phase) -> Vec<(StateIndex, i64)> {
        let (layer, paid) = match phase {
            Phase::Waiting => (Layer::Before, 0),
            Phase::Running(start) if start.from == slot => (Layer::Before, self.paid(start)),
            Phase::Running(_) => (Layer::Before, 0),
            Phase::Done => (Layer::After, 0),
        };
        let after = self.task.states().zip(self.after(slot, phase));
        let possible = after.filter(|&(_, &rest)| rest > NEVER);
        possible.map(|(state, &rest)| (state, rest + self.worth(slot, state, layer) - paid)).collect()
    }

    fn paid(&self, start: Start) -> i64 {
        self.runs.of(start.retraining, self.task.run_of(start))
    }

    /// What a slot in a state is worth less the price of the allocation.
    fn worth(&self, slot: Slot, state: StateIndex, layer: Layer) -> i64 {
        let price = self.prices.allocations[self.model][(slot, self.task.allocation_of(state))];
        self.task.goodput(slot, state, layer) - price
    }

    /// The slots before the last one, the latest first.
    fn backwards(&self, first: Slot) -> impl Iterator<Item = Slot> + use<> {
        each(first..self.end.before().expect("a window has a slot")).rev()
    }

    fn fill_done(&mut self) {
        for slot in self.backwards(Slot::FIRST) {
            let row = self.best_followers(&self.arrivals(slot.later(1), Phase::Done));
            self.done.row_mut(slot).copy_from_slice(&row);
        }
    }

    /// The values of a model whose retraining is complete before a slot and runs from `first` on.
    fn running_towards(&self, completed: Slot, first: Slot) -> Values {
        let last = completed.before().expect("a retraining takes a slot");
        let mut values = Values::filled(first..completed, self.task.count(), 0);
        if completed < self.end {
            let row = self.best_followers(&self.arrivals(completed, Phase::Done));
            values.row_mut(last).copy_from_slice(&row);
        }
        for slot in each(first..last).rev() {
            let next = slot.later(1);
            let after = self.task.states().zip(values.row(next));
            let arrivals: Vec<(StateIndex, i64)> = after
                .map(|(state, &rest)| (state, plus(rest, self.worth(next, state, Layer::Before))))
                .collect();
            let row = self.best_followers(&arrivals);
            values.row_mut(slot).copy_from_slice(&row);
        }
        values
    }

    fn fill_waiting(&mut self, by_slot: &List<Slot, Vec<Start>>) {
        for slot in self.backwards(Slot::FIRST) {
            let next = slot.later(1);
            let mut arrivals = self.arrivals(next, Phase::Waiting);
            for &start in &by_slot[next] {
                arrivals.extend(self.arrivals(next, Phase::Running(start)));
            }
            let row = self.best_followers(&arrivals);
            self.waiting.row_mut(slot).copy_from_slice(&row);
        }
    }

    /// For each state, the best of the values of the states that may follow it.
    fn best_followers(&self, arrivals: &[(StateIndex, i64)]) -> Vec<i64> {
        let task = self.task;
        let mut demands: List<Condition, i64> = List::filled(task.conditions, NEVER);
        for &(state, value) in arrivals {
            let demand = &mut demands[task.needs[state]];
            *demand = value.max(*demand);
        }
        let anew = demands[Condition::NONE];
        task.states().map(|state| anew.max(demands[task.gives[state]])).collect()
    }
}
