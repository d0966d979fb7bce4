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

use super::joint::{Contents, Joint};
use super::states::TaskStates;

/// Less than any sum of goodput and prices.
pub const NEVER: i64 = i64::MIN / 4;

/// Prices in units of goodput.
#[derive(Clone)]
pub struct Prices {
    /// By model, slot and allocation.
    pub allocations: Vec<Vec<i64>>,
    /// By model, retraining and slot.
    pub retrainings: Vec<Vec<Vec<i64>>>,
}

impl Prices {
    /// Everything is free.
    pub fn zero(joint: &Joint<'_>) -> Self {
        let slots = joint.slots();
        Prices {
            allocations: joint.tasks.iter().map(|task| vec![0; slots * task.allocations.len()]).collect(),
            retrainings: joint
                .tasks
                .iter()
                .map(|task| vec![vec![0; slots]; task.retrainings.len()])
                .collect(),
        }
    }

    /// Price of all that tasks have in a slot.
    pub fn of(&self, joint: &Joint<'_>, slot: usize, contents: &Contents) -> i64 {
        let mut price = 0;
        for (model, (&allocation, retraining)) in
            contents.allocations.iter().zip(&contents.retrainings).enumerate()
        {
            price += self.allocations[model][slot * joint.tasks[model].allocations.len() + allocation];
            if let Some(retraining) = *retraining {
                price += self.retrainings[model][retraining][slot];
            }
        }
        price
    }

    /// By slot the dearest contents that fit: its price and its position in [`Joint::contents`].
    pub fn dearest(&self, joint: &Joint<'_>) -> Vec<(i64, usize)> {
        let dearest = |slot: usize| {
            let mut best = (NEVER, 0);
            for (position, contents) in joint.contents.iter().enumerate() {
                let price = self.of(joint, slot, contents);
                if price > best.0 {
                    best = (price, position);
                }
            }
            best
        };
        (0..joint.slots()).map(dearest).collect()
    }
}

/// The retraining of a model as a path chooses it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Start {
    /// Position in [`TaskStates::retrainings`].
    pub retraining: usize,
    /// First slot.
    pub from: usize,
}

/// The best path of a model under prices.
pub struct Path {
    /// Goodput less prices.
    pub value: i64,
    /// Its retraining.
    pub start: Start,
    /// By slot, its allocation.
    pub allocations: Vec<usize>,
}

/// The longest paths of a model under prices, by slot and state.
pub struct Paths<'a> {
    task: &'a TaskStates,
    slots: usize,
    allocation_prices: &'a [i64],
    /// Best value until and with a slot, before the retraining is complete, without the retraining's prices.
    before: Vec<i64>,
    /// Best value of the slots after one, all of them after the completion.
    rest_after: Vec<i64>,
    /// By slot of completion the best value of a retraining that ends there: less its prices.
    ending: Vec<(i64, Option<Start>)>,
}

impl<'a> Paths<'a> {
    /// Computes the paths of model `model`.
    pub fn new(joint: &'a Joint<'_>, prices: &'a Prices, model: usize) -> Self {
        let task = &joint.tasks[model];
        let mut paths = Paths {
            task,
            slots: joint.slots(),
            allocation_prices: &prices.allocations[model],
            before: Vec::new(),
            rest_after: Vec::new(),
            ending: endings(task, joint.slots(), &prices.retrainings[model]),
        };
        paths.before = paths.forward();
        paths.rest_after = paths.backward_after();
        paths
    }

    /// What a slot in a state is worth.
    fn worth(&self, slot: usize, state: usize, is_retrained: bool) -> i64 {
        let price =
            self.allocation_prices[slot * self.task.allocations.len() + self.task.allocation_of(state)];
        self.task.goodput(slot, state, is_retrained) - price
    }

    /// By condition the best of the values of the states that give it.
    fn offers(&self, values: &[i64], offers: &mut Vec<i64>) {
        offers.clear();
        offers.resize(self.task.conditions, NEVER);
        for (&value, &given) in values.iter().zip(&self.task.gives) {
            offers[0] = offers[0].max(value);
            offers[given] = offers[given].max(value);
        }
    }

    /// By condition the best of the values of the states that need it.
    fn demands(&self, values: impl Iterator<Item = i64>, demands: &mut Vec<i64>) {
        demands.clear();
        demands.resize(self.task.conditions, NEVER);
        for (value, &needed) in values.zip(&self.task.needs) {
            demands[needed] = demands[needed].max(value);
        }
    }

    fn row(values: &[i64], slot: usize, count: usize) -> &[i64] {
        &values[slot * count..(slot + 1) * count]
    }

    fn forward(&self) -> Vec<i64> {
        let count = self.task.count();
        let mut values = vec![NEVER; self.slots * count];
        let mut offers = Vec::new();
        for (state, &opens) in self.task.opens.iter().enumerate() {
            if opens {
                values[state] = self.worth(0, state, false);
            }
        }
        for slot in 1..self.slots {
            self.offers(Self::row(&values, slot - 1, count), &mut offers);
            for state in 0..count {
                let offer = offers[self.task.needs[state]];
                if offer > NEVER {
                    values[slot * count + state] = offer + self.worth(slot, state, false);
                }
            }
        }
        values
    }

    fn backward_after(&self) -> Vec<i64> {
        let count = self.task.count();
        let mut values = vec![0; self.slots * count];
        let mut demands = Vec::new();
        for slot in (0..self.slots.saturating_sub(1)).rev() {
            let next = Self::row(&values, slot + 1, count);
            let worths =
                next.iter().enumerate().map(|(state, rest)| rest + self.worth(slot + 1, state, true));
            self.demands(worths, &mut demands);
            for state in 0..count {
                values[slot * count + state] = demands[0].max(demands[self.task.gives[state]]);
            }
        }
        values
    }

    /// The best value of the inference task when the retraining is complete before slot `completed`, without the
    /// retraining's prices.
    fn completed_before(&self, completed: usize, offers: &mut Vec<i64>) -> i64 {
        let count = self.task.count();
        let before = Self::row(&self.before, completed - 1, count);
        if completed == self.slots {
            return before.iter().copied().max().unwrap_or(NEVER);
        }
        self.offers(before, offers);
        let rest = Self::row(&self.rest_after, completed, count);
        let value = |state: usize| {
            let offer = offers[self.task.needs[state]];
            if offer == NEVER { NEVER } else { offer + self.worth(completed, state, true) + rest[state] }
        };
        (0..count).map(value).max().unwrap_or(NEVER)
    }

    /// The value of the best path, and the slot before which its retraining is complete.
    fn best_completion(&self) -> (i64, usize) {
        let mut offers = Vec::new();
        let mut best = (NEVER, 0);
        for completed in 1..=self.slots {
            let (ending, _) = self.ending[completed];
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
        let start = self.ending[completed].1?;
        let count = self.task.count();
        let mut states = vec![0; self.slots];
        // The state at the seam, or the last one.
        let seam = completed.min(self.slots - 1);
        if completed == self.slots {
            states[seam] = argmax((0..count).map(|state| self.before[seam * count + state]));
        } else {
            let mut offers = Vec::new();
            self.offers(Self::row(&self.before, completed - 1, count), &mut offers);
            states[seam] = argmax((0..count).map(|state| {
                let offer = offers[self.task.needs[state]];
                let rest = self.rest_after[seam * count + state];
                if offer == NEVER { NEVER } else { offer + self.worth(seam, state, true) + rest }
            }));
            for slot in seam + 1..self.slots {
                let before = states[slot - 1];
                states[slot] = argmax((0..count).map(|state| match self.task.follows(before, state) {
                    true => self.worth(slot, state, true) + self.rest_after[slot * count + state],
                    false => NEVER,
                }));
            }
        }
        for slot in (0..seam).rev() {
            let after = states[slot + 1];
            states[slot] = argmax((0..count).map(|state| match self.task.follows(state, after) {
                true => self.before[slot * count + state],
                false => NEVER,
            }));
        }
        let allocations = states.into_iter().map(|state| self.task.allocation_of(state)).collect();
        Some(Path { value, start, allocations })
    }

    /// For every retraining that can be complete in the window, the value of the best path with it.
    pub fn by_start(&self, prices: &[Vec<i64>]) -> Vec<(i64, Start)> {
        let mut offers = Vec::new();
        let completed: Vec<i64> = std::iter::once(NEVER)
            .chain((1..=self.slots).map(|completed| self.completed_before(completed, &mut offers)))
            .collect();
        let mut values = Vec::new();
        for (retraining, &(_, length)) in self.task.retrainings.iter().enumerate() {
            for (from, price) in windows(&prices[retraining], length as usize) {
                let until = completed[from + length as usize];
                if until > NEVER {
                    values.push((until - price, Start { retraining, from }));
                }
            }
        }
        values
    }

    /// The value of the best path through each state: by slot and state, before and after the completion of the
    /// retraining.
    pub fn through(&self) -> [Vec<i64>; 2] {
        let count = self.task.count();
        let last = self.slots - 1;
        let mut after = vec![NEVER; self.slots * count];
        let (mut offers, mut offers_before, mut demands) = (Vec::new(), Vec::new(), Vec::new());
        for slot in 1..self.slots {
            self.offers(Self::row(&after, slot - 1, count), &mut offers);
            self.offers(Self::row(&self.before, slot - 1, count), &mut offers_before);
            let ending = self.ending[slot].0;
            for state in 0..count {
                let needed = self.task.needs[state];
                let switching = plus(offers_before[needed], ending);
                let value = offers[needed].max(switching);
                if value > NEVER {
                    after[slot * count + state] = value + self.worth(slot, state, true);
                }
            }
        }
        let mut rest_before = vec![NEVER; self.slots * count];
        for state in 0..count {
            rest_before[last * count + state] = self.ending[self.slots].0;
        }
        for slot in (0..last).rev() {
            let stay = (0..count).map(|state| {
                let rest = rest_before[(slot + 1) * count + state];
                plus(rest, self.worth(slot + 1, state, false))
            });
            let mut best = Vec::new();
            self.demands(stay, &mut best);
            let ending = self.ending[slot + 1].0;
            if ending > NEVER {
                let switching = (0..count).map(|state| {
                    ending + self.worth(slot + 1, state, true) + self.rest_after[(slot + 1) * count + state]
                });
                self.demands(switching, &mut demands);
                best.iter_mut().zip(&demands).for_each(|(best, &other)| *best = (*best).max(other));
            }
            for state in 0..count {
                rest_before[slot * count + state] = best[0].max(best[self.task.gives[state]]);
            }
        }
        let sum = |one: &[i64], other: &[i64]| {
            one.iter().zip(other).map(|(&one, &other)| plus(one, other)).collect()
        };
        [sum(&self.before, &rest_before), sum(&after, &self.rest_after)]
    }
}

/// The sum, of which [`NEVER`] takes everything.
fn plus(one: i64, other: i64) -> i64 {
    if one == NEVER || other == NEVER { NEVER } else { one + other }
}

/// The first of the greatest values.
fn argmax(values: impl Iterator<Item = i64>) -> usize {
    let mut best = (i64::MIN, 0);
    for (position, value) in values.enumerate() {
        if value > best.0 {
            best = (value, position);
        }
    }
    best.1
}

/// The sums of `length` prices in a row, by the first slot.
fn windows(prices: &[i64], length: usize) -> impl Iterator<Item = (usize, i64)> + '_ {
    let mut sum: i64 = prices.iter().take(length).sum();
    (0..(prices.len() + 1).saturating_sub(length)).map(move |from| {
        if from > 0 {
            sum += prices[from + length - 1] - prices[from - 1];
        }
        (from, sum)
    })
}

/// By slot of completion the best retraining that ends there.
fn endings(task: &TaskStates, slots: usize, prices: &[Vec<i64>]) -> Vec<(i64, Option<Start>)> {
    let mut endings = vec![(NEVER, None); slots + 1];
    for (retraining, &(_, length)) in task.retrainings.iter().enumerate() {
        for (from, price) in windows(&prices[retraining], length as usize) {
            let ending = &mut endings[from + length as usize];
            if -price > ending.0 {
                *ending = (-price, Some(Start { retraining, from }));
            }
        }
    }
    endings
}
