//! The best allocations for given retrainings: a longest path over joint states.
//!
//! A joint state is a state of every task, and the allocations fit beside the retrainings that run. What must be true of the
//! joint state before one is a condition for each task that stays; a state offers its value to every condition that it
//! fulfils, once for each set of tasks that stay.

use super::super::plan::{Plan, Retraining, TaskPlan};
use super::joint::Joint;
use super::pricing::{NEVER, Start};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Retrainings that run in a slot, by model.
type Running = Vec<Option<usize>>;

/// There are more joint states than are looked at.
#[derive(Clone, Copy, Debug)]
pub struct TooManyStates;

/// The value of a longest path, and its joint states by slot.
type LongestPath = (i64, Vec<Vec<usize>>);

/// Joint states under which the same retrainings run.
struct Mode {
    /// States of all tasks, one joint state after the other.
    states: Vec<usize>,
    /// By joint state the number of what it needs.
    needs: Vec<usize>,
    /// Numbers of what joint states need.
    conditions: BTreeMap<Vec<usize>, usize>,
}

/// Which conditions of the next mode each joint state of a mode fulfils.
struct Offers {
    begins: Vec<usize>,
    conditions: Vec<usize>,
}

/// The longest paths for given retrainings; what they have in common is kept from one to the next.
pub struct Schedules<'a, 'p> {
    joint: &'a Joint<'p>,
    modes: Vec<Mode>,
    numbers: BTreeMap<Running, usize>,
    offers: BTreeMap<(usize, usize), Offers>,
    /// Most joint states of a mode.
    most_states: usize,
}

impl<'a, 'p> Schedules<'a, 'p> {
    /// None are known yet. Retrainings under which there are more than `most_states` joint states are not looked at.
    pub fn new(joint: &'a Joint<'p>, most_states: usize) -> Self {
        Schedules { joint, modes: Vec::new(), numbers: BTreeMap::new(), offers: BTreeMap::new(), most_states }
    }

    /// How many schedules can be looked at with so many visits of joint states, each under every set of tasks that stay.
    pub fn within(&mut self, visits: u64) -> usize {
        let models = self.joint.tasks.len();
        let idle = vec![None; models];
        let Ok(mode) = self.mode(&idle) else { return 0 };
        let of_one = (self.joint.slots() * self.modes[mode].needs.len()) << models;
        usize::try_from(visits / of_one.max(1) as u64).unwrap_or(usize::MAX)
    }

    /// Units of goodput of the best plan with these retrainings; `None` if they do not fit.
    ///
    /// # Errors
    /// When there are too many joint states.
    pub fn value(&mut self, starts: &[Start]) -> Result<Option<i64>, TooManyStates> {
        Ok(self.run(starts, false)?.map(|(value, _)| value))
    }

    /// The best plan with these retrainings; `None` if they do not fit, or there are too many joint states.
    pub fn plan(&mut self, starts: &[Start]) -> Option<Plan> {
        let (_, path) = self.run(starts, true).ok()??;
        let joint = self.joint;
        let task = |(model, start): (usize, &Start)| {
            let task = &joint.tasks[model];
            let (size, length) = task.retrainings[start.retraining];
            let from = start.from as u32;
            let allocation =
                |states: &Vec<usize>| task.allocations[task.allocation_of(states[model])].clone();
            TaskPlan {
                retraining: Some(Retraining { size, from, until: from + length }),
                inference: path.iter().map(allocation).collect(),
            }
        };
        Some(Plan::new(starts.iter().enumerate().map(task).collect()))
    }

    /// The starts of a plan.
    pub fn starts_of(joint: &Joint<'_>, plan: &[Retraining]) -> Option<Vec<Start>> {
        let start = |(task, retraining): (&super::states::TaskStates, &Retraining)| {
            let position = task.retrainings.iter().position(|&(size, _)| size == retraining.size)?;
            Some(Start { retraining: position, from: retraining.from as usize })
        };
        joint.tasks.iter().zip(plan).map(start).collect()
    }

    /// The mode of the retrainings that run.
    fn mode(&mut self, running: &Running) -> Result<usize, TooManyStates> {
        if let Some(&number) = self.numbers.get(running) {
            return Ok(number);
        }
        let joint = self.joint;
        let models = joint.tasks.len();
        let mut mode = Mode { states: Vec::new(), needs: Vec::new(), conditions: BTreeMap::new() };
        let ages: Vec<usize> = joint.tasks.iter().map(|task| task.oldest + 1).collect();
        let each: usize = ages.iter().product();
        let mut is_small = true;
        joint.visit(running, &mut |allocations| {
            is_small &= mode.needs.len() + each <= self.most_states;
            if !is_small {
                return;
            }
            for mut combination in 0..each {
                let mut needed = Vec::with_capacity(models);
                for model in 0..models {
                    let state = allocations[model] * ages[model] + combination % ages[model];
                    combination /= ages[model];
                    mode.states.push(state);
                    needed.push(joint.tasks[model].needs[state]);
                }
                let next = mode.conditions.len();
                mode.needs.push(*mode.conditions.entry(needed).or_insert(next));
            }
        });
        if !is_small {
            return Err(TooManyStates);
        }
        let number = self.modes.len();
        self.numbers.insert(running.clone(), number);
        self.modes.push(mode);
        Ok(number)
    }

    /// Works out which conditions of one mode the joint states of another fulfil.
    fn prepare(&mut self, before: usize, after: usize) {
        if self.offers.contains_key(&(before, after)) {
            return;
        }
        let joint = self.joint;
        let models = joint.tasks.len();
        let wanted = &self.modes[after].conditions;
        let mut offers = Offers { begins: vec![0], conditions: Vec::new() };
        for states in self.modes[before].states.chunks(models) {
            for staying in 0..1usize << models {
                let needed: Vec<usize> = (0..models)
                    .map(|model| match staying >> model & 1 {
                        0 => 0,
                        _ => joint.tasks[model].gives[states[model]],
                    })
                    .collect();
                // A task that has nothing to give stays under the condition 0 already.
                let is_repeated = (0..models).any(|model| staying >> model & 1 == 1 && needed[model] == 0);
                if let Some(&condition) = wanted.get(&needed).filter(|_| !is_repeated) {
                    offers.conditions.push(condition);
                }
            }
            offers.begins.push(offers.conditions.len());
        }
        self.offers.insert((before, after), offers);
    }

    /// The longest path: its value and, if it is wanted, the joint states.
    fn run(&mut self, starts: &[Start], wants_path: bool) -> Result<Option<LongestPath>, TooManyStates> {
        let joint = self.joint;
        let (models, slots) = (joint.tasks.len(), joint.slots());
        let ends: Vec<usize> = starts
            .iter()
            .zip(&joint.tasks)
            .map(|(start, task)| start.from + task.retrainings[start.retraining].1 as usize)
            .collect();
        let running = |slot: usize| -> Running {
            let runs = |(start, &end): (&Start, &usize)| {
                (start.from..end).contains(&slot).then_some(start.retraining)
            };
            starts.iter().zip(&ends).map(runs).collect()
        };
        let mut values: Vec<i64> = Vec::new();
        let mut came_from: Vec<Vec<usize>> = Vec::new();
        let mut modes: Vec<usize> = Vec::with_capacity(slots);
        for slot in 0..slots {
            let changes =
                slot == 0 || starts.iter().zip(&ends).any(|(start, &end)| start.from == slot || end == slot);
            let number = if changes { self.mode(&running(slot))? } else { modes[slot - 1] };
            modes.push(number);
            if slot > 0 {
                self.prepare(modes[slot - 1], number);
            }
            let mode = &self.modes[number];
            let worth = |states: &[usize]| -> i64 {
                (0..models)
                    .map(|model| joint.tasks[model].goodput(slot, states[model], slot >= ends[model]))
                    .sum()
            };
            let mut best: Vec<(i64, usize)> = Vec::new();
            if slot > 0 {
                let offers = &self.offers[&(modes[slot - 1], number)];
                best.resize(mode.conditions.len(), (NEVER, 0));
                for (state, &value) in values.iter().enumerate().filter(|(_, value)| **value > NEVER) {
                    for &condition in &offers.conditions[offers.begins[state]..offers.begins[state + 1]] {
                        if value > best[condition].0 {
                            best[condition] = (value, state);
                        }
                    }
                }
            }
            let mut next = vec![NEVER; mode.needs.len()];
            let mut from = vec![0; if wants_path { mode.needs.len() } else { 0 }];
            for (position, states) in mode.states.chunks(models).enumerate() {
                if slot == 0 {
                    if (0..models).all(|model| joint.tasks[model].opens[states[model]]) {
                        next[position] = worth(states);
                    }
                    continue;
                }
                let (value, state) = best[mode.needs[position]];
                if value > NEVER {
                    next[position] = value + worth(states);
                    if wants_path {
                        from[position] = state;
                    }
                }
            }
            values = next;
            came_from.push(from);
        }
        let best = values.iter().enumerate().max_by_key(|&(position, value)| (value, Reverse(position)));
        let Some((mut state, &value)) = best.filter(|(_, value)| **value > NEVER) else { return Ok(None) };
        let mut path = Vec::new();
        if wants_path {
            for slot in (0..slots).rev() {
                path.push(self.modes[modes[slot]].states[state * models..(state + 1) * models].to_vec());
                state = came_from[slot][state];
            }
            path.reverse();
        }
        Ok(Some((value, path)))
    }
}
