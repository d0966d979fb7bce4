//! The longest paths of one model under prices.
//!
//! A model alone is a longest path: the states of its inference task before its retraining is complete, those after it, and
//! between the two the cheapest retraining that ends there.
//!
//! From slot to slot a path goes by way of a condition: the best value of all states that give it is an offer to all states that
//! need it. So a step takes time in proportion to the states, not to their pairs.

use super::domain::Domain;
use super::index::{AllocationIndex, Condition, Layer, RetrainingIndex, Slot, Start, StateIndex, each};
use super::joint::Joint;
use super::list::{List, Table};
use super::pricing::{NEVER, Prices};
use super::states::TaskStates;
use crate::instance::ModelIndex;
use std::ops::Range;

/// The best path of a model under prices.
pub struct Path {
    /// Goodput less prices.
    pub value: i64,
    /// Its retraining.
    pub start: Start,
    /// Its allocations.
    pub allocations: List<Slot, AllocationIndex>,
}

/// The best retraining that is complete before a slot.
#[derive(Clone, Copy)]
struct Ending {
    /// Less its prices; [`NEVER`] if none ends there.
    value: i64,
    start: Option<Start>,
}

/// Values of paths of one model, by slot and state.
type Values = Table<Slot, StateIndex, i64>;

/// The best values of the states that give or need a condition.
type ByCondition = List<Condition, i64>;

/// The longest paths of a model under prices.
pub struct Paths<'a> {
    task: &'a TaskStates,
    /// The open starts.
    starts: &'a [Start],
    runs: RunPrices,
    /// The slot after the window.
    end: Slot,
    prices: &'a Table<Slot, AllocationIndex, i64>,
    /// See the function of this name.
    until_before: Values,
    /// See the function of this name.
    rest_after: Values,
    /// By slot of completion, the slot after the window included.
    ending: List<Slot, Ending>,
}

impl<'a> Paths<'a> {
    /// Computes the paths of a model whose retraining starts at an open start.
    pub fn new(joint: &'a Joint<'_>, domain: &'a Domain, prices: &'a Prices<i64>, model: ModelIndex) -> Self {
        let task = &joint.tasks[model];
        let starts = domain.starts(model);
        let runs = RunPrices::new(&prices.retrainings[model], joint.slot_count());
        let mut paths = Paths {
            task,
            starts,
            end: joint.end(),
            prices: &prices.allocations[model],
            until_before: Table::filled(0, 0, NEVER),
            rest_after: Table::filled(0, 0, 0),
            ending: endings(task, joint.slot_count(), starts, &runs),
            runs,
        };
        paths.until_before = paths.until_before();
        paths.rest_after = paths.rest_after();
        paths
    }

    /// The slot of the window that is followed by no other.
    fn last(&self) -> Slot {
        self.end.before().expect("a window has a slot")
    }

    /// What a slot in a state is worth.
    fn worth(&self, slot: Slot, state: StateIndex, layer: Layer) -> i64 {
        self.task.goodput(slot, state, layer) - self.prices[(slot, self.task.allocation_of(state))]
    }

    /// What slots in a state are worth if the first one and those after it are after the completion.
    fn worth_from(&self, slot: Slot, state: StateIndex) -> i64 {
        self.worth(slot, state, Layer::After) + self.rest_after[(slot, state)]
    }

    /// No state gives or needs anything yet.
    fn by_condition(&self) -> ByCondition {
        List::filled(self.task.conditions, NEVER)
    }

    /// The best of the values of the states that give a condition.
    fn offers(&self, values: &[i64], offers: &mut ByCondition) {
        offers.fill(NEVER);
        for (&value, &given) in values.iter().zip(self.task.gives.iter()) {
            offers[Condition::NONE] = offers[Condition::NONE].max(value);
            offers[given] = offers[given].max(value);
        }
    }

    /// The best of the values that a state can go on from.
    fn offered(&self, offers: &ByCondition, state: StateIndex) -> i64 {
        offers[self.task.needs[state]]
    }

    /// The best of the values of the states that need a condition.
    fn demands(&self, values: impl Iterator<Item = i64>, demands: &mut ByCondition) {
        demands.fill(NEVER);
        for (value, &needed) in values.zip(self.task.needs.iter()) {
            demands[needed] = demands[needed].max(value);
        }
    }

    /// The best of the values that a state can go on to.
    fn demanded(&self, demands: &ByCondition, state: StateIndex) -> i64 {
        demands[Condition::NONE].max(demands[self.task.gives[state]])
    }

    /// A table of one value.
    fn values(&self, value: i64) -> Values {
        Table::filled(self.end.index(), self.task.count(), value)
    }

    /// Best value until and with a slot that is before the completion, without the retraining's prices.
    fn until_before(&self) -> Values {
        let mut values = self.values(NEVER);
        for state in self.task.states().filter(|&state| self.task.opens[state]) {
            values[(Slot::FIRST, state)] = self.worth(Slot::FIRST, state, Layer::Before);
        }
        let mut offers = self.by_condition();
        for slot in each(Slot::FIRST..self.last()) {
            let next = slot.later(1);
            self.offers(values.row(slot), &mut offers);
            for (state, value) in self.task.states().zip(values.row_mut(next)) {
                let offer = self.offered(&offers, state);
                if offer > NEVER {
                    *value = offer + self.worth(next, state, Layer::Before);
                }
            }
        }
        values
    }

    /// Best value of the slots after one, all of them after the completion.
    fn rest_after(&self) -> Values {
        let mut values = self.values(0);
        let mut demands = self.by_condition();
        for slot in each(Slot::FIRST..self.last()).rev() {
            let next = slot.later(1);
            let rest = self.task.states().zip(values.row(next));
            let worths = rest.map(|(state, &rest)| self.worth(next, state, Layer::After) + rest);
            self.demands(worths, &mut demands);
            for (state, value) in self.task.states().zip(values.row_mut(slot)) {
                *value = self.demanded(&demands, state);
            }
        }
        values
    }

    /// The best values from a slot on, by state, if the retraining is complete before it; `offers` are of the slot before.
    fn switched(&self, slot: Slot, offers: &ByCondition) -> impl Iterator<Item = i64> {
        self.task.states().map(move |state| {
            let offer = self.offered(offers, state);
            if offer == NEVER { NEVER } else { offer + self.worth_from(slot, state) }
        })
    }

    /// The best value of the inference task when the retraining is complete before slot `completed`, without the
    /// retraining's prices.
    fn completed_before(&self, completed: Slot, offers: &mut ByCondition) -> i64 {
        let before = self.until_before.row(completed.before().expect("a retraining takes a slot"));
        if completed == self.end {
            return before.iter().copied().max().unwrap_or(NEVER);
        }
        self.offers(before, offers);
        self.switched(completed, offers).max().unwrap_or(NEVER)
    }

    /// The slots before which a retraining can be complete: all but the first, and the one after the window.
    fn completions(&self) -> impl Iterator<Item = Slot> + use<> {
        each(Slot::FIRST.later(1)..self.end.later(1))
    }

    /// The value of the best path, and the slot before which its retraining is complete.
    fn best_completion(&self) -> (i64, Slot) {
        let mut offers = self.by_condition();
        let mut best = (NEVER, Slot::FIRST);
        for completed in self.completions() {
            let ending = self.ending[completed].value;
            if ending > NEVER {
                let value = ending + self.completed_before(completed, &mut offers);
                if value > best.0 {
                    best = (value, completed);
                }
            }
        }
        best
    }

    /// The best path; a model that cannot be retrained in the window has none.
    pub fn best(&self) -> Option<Path> {
        let (value, completed) = self.best_completion();
        let start = self.ending[completed].start?;
        // Where forward and backward values meet: the first slot after the completion, or the last one.
        let seam = completed.min(self.last());
        let mut states = List::filled(self.end.index(), StateIndex(0));
        states[seam] = if completed == self.end {
            argmax(self.until_before.row(seam).iter().copied())
        } else {
            let mut offers = self.by_condition();
            self.offers(
                self.until_before.row(seam.before().expect("a retraining takes a slot")),
                &mut offers,
            );
            argmax(self.switched(seam, &offers))
        };
        for slot in each(seam..self.last()) {
            let (before, next) = (states[slot], slot.later(1));
            states[next] = argmax(self.task.states().map(|state| match self.task.follows(before, state) {
                true => self.worth_from(next, state),
                false => NEVER,
            }));
        }
        for slot in each(Slot::FIRST..seam).rev() {
            let after = states[slot.later(1)];
            let values = self.task.states().zip(self.until_before.row(slot));
            states[slot] = argmax(values.map(|(state, &value)| match self.task.follows(state, after) {
                true => value,
                false => NEVER,
            }));
        }
        let allocations = states.iter().map(|&state| self.task.allocation_of(state)).collect();
        Some(Path { value, start, allocations })
    }

    /// For every open start, the value of the best path with it.
    pub fn by_start(&self) -> Vec<(i64, Start)> {
        let mut offers = self.by_condition();
        let completed = self.completions().map(|completed| self.completed_before(completed, &mut offers));
        let completed: List<Slot, i64> = std::iter::once(NEVER).chain(completed).collect();
        let mut values = Vec::new();
        for &start in self.starts {
            let run = self.task.run_of(start);
            let until = completed[run.end];
            if until > NEVER {
                values.push((until - self.runs.of(start.retraining, run), start));
            }
        }
        values
    }
}

/// The first of the states with the greatest value.
fn argmax(values: impl Iterator<Item = i64>) -> StateIndex {
    let mut best = (i64::MIN, 0);
    for (position, value) in values.enumerate() {
        if value > best.0 {
            best = (value, position);
        }
    }
    StateIndex::at(best.1)
}

/// What the retraining of a model pays for any slots in a row.
pub struct RunPrices {
    /// By size and slot, what all slots before it cost.
    before: Table<RetrainingIndex, Slot, i64>,
}

impl RunPrices {
    /// From prices by slot.
    pub fn new(prices: &Table<RetrainingIndex, Slot, i64>, slots: usize) -> Self {
        let mut before = Table::filled(0, slots + 1, 0);
        for prices in prices.rows() {
            let mut sum = 0;
            before.push_row(std::iter::once(0).chain(prices.iter().map(|price| {
                sum += price;
                sum
            })));
        }
        RunPrices { before }
    }

    /// What a run pays.
    pub fn of(&self, retraining: RetrainingIndex, run: Range<Slot>) -> i64 {
        self.before[(retraining, run.end)] - self.before[(retraining, run.start)]
    }
}

/// By slot of completion the best open start that leads there, of equal ones the first.
fn endings(task: &TaskStates, slots: usize, starts: &[Start], runs: &RunPrices) -> List<Slot, Ending> {
    let mut endings: List<Slot, Ending> = List::filled(slots + 1, Ending { value: NEVER, start: None });
    for &start in starts {
        let run = task.run_of(start);
        let ending = &mut endings[run.end];
        let value = -runs.of(start.retraining, run);
        if value > ending.value {
            *ending = Ending { value, start: Some(start) };
        }
    }
    endings
}
