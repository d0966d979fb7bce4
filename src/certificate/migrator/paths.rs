//! What a model by itself can be worth at prices: longest paths through the states of its inference task.

use super::prices::Prices;
use super::starts::Start;
use super::task::{NEVER, Task};
use std::collections::BTreeMap;

/// Values by slot and state.
type Values = Vec<Vec<i128>>;

/// The longest paths of a model at prices.
pub struct Paths<'a> {
    task: &'a Task,
    slots: usize,
    /// Prices of allocations, by slot.
    allocations: &'a [Vec<i128>],
    /// By size of the retraining, what all slots before one cost.
    runs: Vec<Vec<i128>>,
    /// What the slots after one are worth at most, all of them after the completion.
    pub done: Values,
    /// By the slot before which the retraining is complete, what the inference task is worth at most in the whole window.
    completed: Vec<i128>,
}

impl<'a> Paths<'a> {
    /// Of a model.
    pub fn new(task: &'a Task, slots: usize, prices: &'a Prices, model: usize) -> Self {
        let sums = |prices: &Vec<i128>| {
            let mut sums = vec![0];
            for &price in prices {
                sums.push(sums[sums.len() - 1] + price);
            }
            sums
        };
        let runs = prices.retrainings[model].iter().map(sums).collect();
        let allocations = prices.allocations[model].as_slice();
        let mut paths = Paths { task, slots, allocations, runs, done: Vec::new(), completed: Vec::new() };
        paths.done = paths.backwards(0, slots, &vec![0; task.states()], true);
        paths.complete();
        paths
    }

    /// What a slot in a state is worth, less the price of the allocation.
    pub fn worth(&self, slot: usize, state: usize, is_after: bool) -> i128 {
        self.task.worth(slot, state, is_after) - self.allocations[slot][self.task.allocation_of(state)]
    }

    /// What the run of a retraining costs from a slot on.
    pub fn paid(&self, start: Start, from: usize) -> i128 {
        self.runs[start.run][start.end] - self.runs[start.run][from]
    }

    /// What the running retraining costs in a slot.
    pub fn paid_in(&self, start: Start, slot: usize) -> i128 {
        self.runs[start.run][slot + 1] - self.runs[start.run][slot]
    }

    /// Values of the slots after each of these, given those after the last one.
    fn backwards(&self, first: usize, end: usize, last: &[i128], is_after: bool) -> Values {
        let mut values: Values = vec![last.to_vec()];
        for slot in (first + 1..end).rev() {
            let next = &values[values.len() - 1];
            let worths = (0..self.task.states()).map(|state| self.worth(slot, state, is_after) + next[state]);
            values.push(self.task.best_after(&worths.collect::<Vec<_>>()));
        }
        values.reverse();
        values
    }

    /// From the states of the slot before the completion on, the values of the slots after the completion.
    fn after_completion(&self, end: usize) -> Vec<i128> {
        if end == self.slots {
            return vec![0; self.task.states()];
        }
        let worths =
            (0..self.task.states()).map(|state| self.worth(end, state, true) + self.done[end][state]);
        self.task.best_after(&worths.collect::<Vec<_>>())
    }

    /// Goes forward through the slots before the completion.
    fn complete(&mut self) {
        let states = 0..self.task.states();
        let opening = |state: usize| if self.task.opens[state] { self.worth(0, state, false) } else { NEVER };
        let mut before: Vec<i128> = states.clone().map(opening).collect();
        let mut completed = vec![NEVER];
        for end in 1..=self.slots {
            let after = self.after_completion(end);
            let values = before.iter().zip(&after).filter(|(before, _)| **before > NEVER / 2);
            completed.push(values.map(|(before, after)| before + after).max().unwrap_or(NEVER));
            if end < self.slots {
                let offered = self.task.best_before(&before);
                before = states.clone().map(|state| offered[state] + self.worth(end, state, false)).collect();
            }
        }
        self.completed = completed;
    }

    /// The most that the model can be worth in the whole window with a start.
    pub fn of(&self, start: Start) -> i128 {
        self.completed[start.end] - self.paid(start, start.from)
    }
}

/// What the rest of the window is worth to a model at most, by what has become of its retraining.
pub struct Rests {
    /// It has not begun: by slot and state what the slots after it are worth.
    pub waiting: Values,
    /// By the slot before which it is complete: the first slot of these values, and the values without the prices of the run.
    pub running: BTreeMap<usize, (usize, Values)>,
}

impl Rests {
    /// Of a model that has these starts.
    pub fn new(paths: &Paths<'_>, starts: &[Start]) -> Self {
        let mut firsts: BTreeMap<usize, usize> = BTreeMap::new();
        for start in starts {
            let first = firsts.entry(start.end).or_insert(start.from);
            *first = start.from.min(*first);
        }
        let towards = |(end, first): (usize, usize)| {
            (end, (first, paths.backwards(first, end, &paths.after_completion(end), false)))
        };
        let mut rests = Rests { waiting: Vec::new(), running: firsts.into_iter().map(towards).collect() };
        rests.wait(paths, starts);
        rests
    }

    /// How many cells the values of running retrainings have.
    pub fn cells(starts: &[Start], states: usize) -> usize {
        starts.iter().map(|start| start.slots().len() * states).sum()
    }

    /// What the slots after one are worth at most while a retraining runs.
    pub fn while_running(&self, paths: &Paths<'_>, start: Start, slot: usize, state: usize) -> i128 {
        let (first, values) = &self.running[&start.end];
        values[slot - first][state] - paths.paid(start, slot + 1)
    }

    fn wait(&mut self, paths: &Paths<'_>, starts: &[Start]) {
        let states = 0..paths.task.states();
        let mut values: Values = vec![vec![NEVER; states.len()]];
        for slot in (1..paths.slots).rev() {
            let beginning = &starts[starts.partition_point(|start| start.from < slot)..];
            let beginning = &beginning[..beginning.partition_point(|start| start.from == slot)];
            let waits = &values[values.len() - 1];
            let best = |state: usize| {
                let begins = beginning
                    .iter()
                    .map(|&start| self.while_running(paths, start, slot, state) - paths.paid_in(start, slot));
                let rest = begins.fold(waits[state], i128::max);
                rest + paths.worth(slot, state, false)
            };
            let worths: Vec<i128> = states.clone().map(best).collect();
            let before = paths.task.best_after(&worths);
            values.push(before);
        }
        values.reverse();
        self.waiting = values;
    }
}
