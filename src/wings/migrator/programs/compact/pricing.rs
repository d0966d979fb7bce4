//! Prices on what tasks have in each slot, and the upper bound that follows from them.
//!
//! Let p(m, s, a) be the price of allocation a of model m in slot s, and q(m, s, k) that of its retraining on size k. For every
//! plan
//!
//! ```text
//! goodput = sum of (goodput - prices) of each model + sum of the prices paid in each slot
//!        <= sum over models of the best path        + sum over slots of the dearest contents that fit.
//! ```
//!
//! A model alone is a longest path: the states of its inference task before its retraining is complete, those after it, and
//! between the two the cheapest retraining that ends there. Forward and backward values of all states tell how much worse
//! the best plan *through* a state is than the bound.
//!
//! From slot to slot a path goes by way of a condition: the best value of all states that give it is an offer to all states that
//! need it. So a step takes time in proportion to the states, not to their pairs.

use super::index::{
    AllocationIndex, ByLayer, Condition, ContentsIndex, Layer, RetrainingIndex, Slot, Start, StateIndex, each,
};
use super::joint::{Contents, Joint};
use super::list::{List, Table};
use super::states::TaskStates;
use crate::instance::ModelIndex;

/// Less than any sum of goodput and prices, so that nothing possible is mistaken for it, and so far from the least number that
/// sums with it do not overflow.
pub const NEVER: i64 = i64::MIN / 4;

/// Prices; in units of goodput they are whole.
#[derive(Clone)]
pub struct Prices<T> {
    /// Of allocations.
    pub allocations: List<ModelIndex, Table<Slot, AllocationIndex, T>>,
    /// Of running retrainings.
    pub retrainings: List<ModelIndex, Table<RetrainingIndex, Slot, T>>,
}

impl<T: Clone> Prices<T> {
    /// Everything has the same price.
    pub fn same(joint: &Joint<'_>, price: T) -> Self {
        let slots = joint.slot_count();
        let tasks = || joint.tasks.iter();
        Prices {
            allocations: tasks()
                .map(|task| Table::filled(slots, task.allocations.len(), price.clone()))
                .collect(),
            retrainings: tasks()
                .map(|task| Table::filled(task.retrainings.len(), slots, price.clone()))
                .collect(),
        }
    }

    /// Other prices of the same things.
    pub fn map<U>(&self, change: impl Fn(&T) -> U) -> Prices<U> {
        Prices {
            allocations: self.allocations.iter().map(|prices| prices.map(&change)).collect(),
            retrainings: self.retrainings.iter().map(|prices| prices.map(&change)).collect(),
        }
    }

    /// All prices, those of allocations first.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let allocations = self.allocations.iter().flat_map(Table::cells);
        allocations.chain(self.retrainings.iter().flat_map(Table::cells))
    }

    /// Changes every price by itself.
    pub fn change(&mut self, change: impl Fn(&mut T)) {
        let allocations = self.allocations.iter_mut().flat_map(Table::cells_mut);
        allocations.chain(self.retrainings.iter_mut().flat_map(Table::cells_mut)).for_each(change);
    }

    /// Changes every price by what others say of the same thing.
    pub fn change_by<U>(&mut self, others: &Prices<U>, change: impl Fn(&mut T, &U)) {
        fn cell_by_cell<T, U>(own: &mut [T], others: &[U], change: impl Fn(&mut T, &U)) {
            own.iter_mut().zip(others).for_each(|(own, other)| change(own, other));
        }
        for (own, others) in self.allocations.iter_mut().zip(others.allocations.iter()) {
            cell_by_cell(own.cells_mut(), others.cells(), &change);
        }
        for (own, others) in self.retrainings.iter_mut().zip(others.retrainings.iter()) {
            cell_by_cell(own.cells_mut(), others.cells(), &change);
        }
    }
}

/// The contents of a slot that cost most.
#[derive(Clone, Copy)]
pub struct Dearest {
    /// What they cost.
    pub price: i64,
    /// Which they are.
    pub contents: ContentsIndex,
}

impl Prices<i64> {
    /// Price of all that tasks have in a slot.
    pub fn of(&self, slot: Slot, contents: &Contents) -> i64 {
        let mut price = 0;
        for ((held, allocations), retrainings) in
            contents.iter().zip(self.allocations.iter()).zip(self.retrainings.iter())
        {
            price += allocations[(slot, held.allocation)];
            if let Some(retraining) = held.running {
                price += retrainings[(retraining, slot)];
            }
        }
        price
    }

    /// The dearest contents that fit, of equally dear ones the first.
    pub fn dearest(&self, joint: &Joint<'_>) -> List<Slot, Dearest> {
        let dearest = |slot: Slot| {
            let mut best = (NEVER, 0);
            for (position, contents) in joint.contents.iter().enumerate() {
                let price = self.of(slot, contents);
                if price > best.0 {
                    best = (price, position);
                }
            }
            Dearest { price: best.0, contents: ContentsIndex::at(best.1) }
        };
        joint.slots().map(dearest).collect()
    }
}

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
    /// Computes the paths of a model.
    pub fn new(joint: &'a Joint<'_>, prices: &'a Prices<i64>, model: ModelIndex) -> Self {
        let task = &joint.tasks[model];
        let mut paths = Paths {
            task,
            end: joint.end(),
            prices: &prices.allocations[model],
            until_before: Table::filled(0, 0, NEVER),
            rest_after: Table::filled(0, 0, 0),
            ending: endings(task, joint.slot_count(), &prices.retrainings[model]),
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

    /// Best value until and with a slot that is after the completion.
    fn until_after(&self) -> Values {
        let mut values = self.values(NEVER);
        let (mut staying, mut switching) = (self.by_condition(), self.by_condition());
        for slot in each(Slot::FIRST..self.last()) {
            let next = slot.later(1);
            self.offers(values.row(slot), &mut staying);
            self.offers(self.until_before.row(slot), &mut switching);
            let ending = self.ending[next].value;
            for (state, value) in self.task.states().zip(values.row_mut(next)) {
                let switched = plus(self.offered(&switching, state), ending);
                let offer = self.offered(&staying, state).max(switched);
                if offer > NEVER {
                    *value = offer + self.worth(next, state, Layer::After);
                }
            }
        }
        values
    }

    /// Best value of the slots after one that is before the completion.
    fn rest_before(&self) -> Values {
        let mut values = self.values(NEVER);
        values.row_mut(self.last()).fill(self.ending[self.end].value);
        let (mut staying, mut switching) = (self.by_condition(), self.by_condition());
        for slot in each(Slot::FIRST..self.last()).rev() {
            let next = slot.later(1);
            let rest = self.task.states().zip(values.row(next));
            let stay = rest.map(|(state, &rest)| plus(rest, self.worth(next, state, Layer::Before)));
            self.demands(stay, &mut staying);
            let ending = self.ending[next].value;
            if ending > NEVER {
                let switch = self.task.states().map(|state| ending + self.worth_from(next, state));
                self.demands(switch, &mut switching);
                staying
                    .iter_mut()
                    .zip(switching.iter())
                    .for_each(|(best, &other)| *best = (*best).max(other));
            }
            for (state, value) in self.task.states().zip(values.row_mut(slot)) {
                *value = self.demanded(&staying, state);
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

    /// For every retraining that can be complete in the window, the value of the best path with it.
    pub fn by_start(&self, prices: &Table<RetrainingIndex, Slot, i64>) -> Vec<(i64, Start)> {
        let mut offers = self.by_condition();
        let completed = self.completions().map(|completed| self.completed_before(completed, &mut offers));
        let completed: List<Slot, i64> = std::iter::once(NEVER).chain(completed).collect();
        let mut values = Vec::new();
        for (start, price) in starts(self.task, prices) {
            let until = completed[self.task.run_of(start).end];
            if until > NEVER {
                values.push((until - price, start));
            }
        }
        values
    }

    /// The value of the best path through each state, in each layer.
    pub fn through(&self) -> ByLayer<Values> {
        let mut before = self.rest_before();
        let mut after = self.until_after();
        for (value, &until) in before.cells_mut().iter_mut().zip(self.until_before.cells()) {
            *value = plus(until, *value);
        }
        for (value, &rest) in after.cells_mut().iter_mut().zip(self.rest_after.cells()) {
            *value = plus(*value, rest);
        }
        ByLayer { before, after }
    }
}

/// The sum, of which [`NEVER`] takes everything.
fn plus(one: i64, other: i64) -> i64 {
    if one == NEVER || other == NEVER { NEVER } else { one + other }
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

/// The retrainings that end within the window, with the sum of their prices.
fn starts<'a>(
    task: &'a TaskStates,
    prices: &'a Table<RetrainingIndex, Slot, i64>,
) -> impl Iterator<Item = (Start, i64)> + 'a {
    task.retrainings.entries().flat_map(|(retraining, size)| {
        let sums = sums_of_neighbours(prices.row(retraining), Slot(size.slots).index());
        sums.zip((0..).map(Slot)).map(move |(sum, from)| (Start { retraining, from }, sum))
    })
}

/// The sums of `length` prices in a row, by the first one.
fn sums_of_neighbours(prices: &[i64], length: usize) -> impl Iterator<Item = i64> + '_ {
    let mut sum: i64 = prices.iter().take(length).sum();
    (0..(prices.len() + 1).saturating_sub(length)).map(move |from| {
        if from > 0 {
            sum += prices[from + length - 1] - prices[from - 1];
        }
        sum
    })
}

/// By slot of completion the best retraining that ends there, of equal ones the first.
fn endings(
    task: &TaskStates,
    slots: usize,
    prices: &Table<RetrainingIndex, Slot, i64>,
) -> List<Slot, Ending> {
    let mut endings: List<Slot, Ending> = List::filled(slots + 1, Ending { value: NEVER, start: None });
    for (start, price) in starts(task, prices) {
        let ending = &mut endings[task.run_of(start).end];
        if -price > ending.value {
            *ending = Ending { value: -price, start: Some(start) };
        }
    }
    endings
}
