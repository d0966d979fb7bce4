//! The best allocations for given retrainings: a longest path over joint states.
//!
//! A joint state is a state of every task, and the allocations fit beside the retrainings that run; joint states under the same
//! retrainings are a *mode*. What a joint state needs of the one before it is a condition of every task: of those that are
//! reconfigured none, of those that stay what they need. So a joint state fulfils one such condition for every set of tasks that
//! stay: what these give, and nothing of the others. It offers its value to all of them, and each joint state takes the best offer
//! to what it needs. That is exact, because a joint state can follow another if and only if its need is one of these.

use super::index::{
    AllocationIndex, Condition, JointCondition, JointIndex, Layer, ModeIndex, Slot, Start, StateIndex,
};
use super::joint::{Joint, Running};
use super::list::{List, Table};
use super::pricing::NEVER;
use super::states::{State, TaskStates};
use crate::instance::ModelIndex;
use crate::rules::{Plan, Retraining, TaskPlan};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// There are more joint states than are looked at.
#[derive(Clone, Copy, Debug)]
pub struct TooManyStates;

/// The longest path.
struct LongestPath {
    /// Units of goodput.
    value: i64,
    /// The states of all tasks; empty if the path is not wanted.
    states: List<Slot, List<ModelIndex, StateIndex>>,
}

/// Joint states under which the same retrainings run.
struct Mode {
    states: Table<JointIndex, ModelIndex, StateIndex>,
    needs: List<JointIndex, JointCondition>,
    /// What joint states need, by model, with its number.
    conditions: BTreeMap<Vec<Condition>, JointCondition>,
}

/// Which conditions of the next mode the joint states of a mode fulfil.
struct Offers {
    /// Where the conditions of each joint state begin, and where those of the last one end.
    begins: Vec<usize>,
    conditions: Vec<JointCondition>,
}

/// The best joint state that fulfils a condition.
#[derive(Clone, Copy)]
struct Offer {
    value: i64,
    from: JointIndex,
}

/// A set of tasks that stay without a reconfiguration: bit m stands for model m.
#[derive(Clone, Copy)]
struct Staying(u64);

impl Staying {
    /// How many sets there are.
    fn count(models: usize) -> u64 {
        1 << models
    }

    /// All sets.
    fn all(models: usize) -> impl Iterator<Item = Staying> {
        (0..Self::count(models)).map(Staying)
    }

    fn contains(self, model: ModelIndex) -> bool {
        self.0 >> model.0 & 1 == 1
    }
}

/// Given retrainings with the slots in which they run.
struct Timetable<'s> {
    starts: &'s List<ModelIndex, Start>,
    runs: List<ModelIndex, Range<Slot>>,
}

impl<'s> Timetable<'s> {
    fn new(joint: &Joint<'_>, starts: &'s List<ModelIndex, Start>) -> Self {
        let runs = joint.tasks.iter().zip(starts.iter()).map(|(task, &start)| task.run_of(start));
        Timetable { starts, runs: runs.collect() }
    }

    /// What runs in a slot.
    fn running(&self, slot: Slot) -> Running {
        let runs = self.starts.iter().zip(self.runs.iter());
        runs.map(|(start, run)| run.contains(&slot).then_some(start.retraining)).collect()
    }

    /// Whether something else runs in a slot than in the one before, of which there may be none.
    fn changes(&self, slot: Slot) -> bool {
        slot == Slot::FIRST || self.runs.iter().any(|run| run.start == slot || run.end == slot)
    }
}

/// The longest paths for given retrainings; what they have in common is kept from one to the next.
pub struct Schedules<'a, 'p> {
    joint: &'a Joint<'p>,
    modes: List<ModeIndex, Mode>,
    numbers: BTreeMap<Running, ModeIndex>,
    /// By mode and next mode.
    offers: BTreeMap<(ModeIndex, ModeIndex), Offers>,
    /// Most joint states of a mode.
    most_states: usize,
}

impl<'a, 'p> Schedules<'a, 'p> {
    /// None are known yet. Retrainings under which there are more than `most_states` joint states are not looked at.
    pub fn new(joint: &'a Joint<'p>, most_states: usize) -> Self {
        let (modes, numbers) = (Vec::new().into(), BTreeMap::new());
        Schedules { joint, modes, numbers, offers: BTreeMap::new(), most_states }
    }

    /// How many schedules can be looked at with so many visits of joint states, each under every set of tasks that stay.
    pub fn within(&mut self, visits: u64) -> usize {
        let Ok(mode) = self.mode(&self.joint.idle()) else { return 0 };
        let of_one = self.joint.slot_count() * self.modes[mode].needs.len();
        let of_one = u64::try_from(of_one).expect("as many fit into memory");
        let of_one = of_one * Staying::count(self.joint.tasks.len());
        usize::try_from(visits / of_one.max(1)).unwrap_or(usize::MAX)
    }

    /// Units of goodput of the best plan with these retrainings; `None` if they do not fit.
    ///
    /// # Errors
    /// When there are too many joint states.
    pub fn value(&mut self, starts: &List<ModelIndex, Start>) -> Result<Option<i64>, TooManyStates> {
        Ok(self.run(starts, false)?.map(|path| path.value))
    }

    /// The best plan with these retrainings; `None` if they do not fit, or there are too many joint states.
    pub fn plan(&mut self, starts: &List<ModelIndex, Start>) -> Option<Plan> {
        let path = self.run(starts, true).ok()??;
        let joint = self.joint;
        let task = |(model, &start): (ModelIndex, &Start)| {
            let task = &joint.tasks[model];
            let run = task.run_of(start);
            let size = task.retrainings[start.retraining].size;
            let states = path.states.iter().map(|states| states[model]);
            TaskPlan {
                retraining: Some(Retraining { size, from: run.start.0, until: run.end.0 }),
                inference: states.map(|state| task.allocations[task.allocation_of(state)].clone()).collect(),
            }
        };
        Some(Plan::new(starts.entries().map(task).collect()))
    }

    /// The starts of a plan; `None` if a model is retrained on a size that no plan uses.
    pub fn starts_of(joint: &Joint<'_>, plan: &[Retraining]) -> Option<List<ModelIndex, Start>> {
        let tasks = joint.tasks.iter().zip(plan);
        let start = tasks.map(|(task, retraining)| {
            let from = Slot(retraining.from);
            Some(Start { retraining: task.retraining_on(retraining.size)?, from })
        });
        start.collect()
    }

    /// The mode of the retrainings that run.
    fn mode(&mut self, running: &Running) -> Result<ModeIndex, TooManyStates> {
        if let Some(&number) = self.numbers.get(running) {
            return Ok(number);
        }
        let number = self.modes.push(Mode::new(self.joint, running, self.most_states)?);
        self.numbers.insert(running.clone(), number);
        Ok(number)
    }

    /// The mode of each slot; what their joint states offer to each other is then known.
    fn modes_of(&mut self, timetable: &Timetable<'_>) -> Result<List<Slot, ModeIndex>, TooManyStates> {
        let mut modes: List<Slot, ModeIndex> = Vec::with_capacity(self.joint.slot_count()).into();
        for slot in self.joint.slots() {
            let before = slot.before().map(|before| modes[before]);
            let mode = match before {
                Some(before) if !timetable.changes(slot) => before,
                _ => self.mode(&timetable.running(slot))?,
            };
            if let Some(before) = before {
                self.prepare(before, mode);
            }
            modes.push(mode);
        }
        Ok(modes)
    }

    /// Works out which conditions of one mode the joint states of another fulfil.
    fn prepare(&mut self, before: ModeIndex, after: ModeIndex) {
        let (joint, modes) = (self.joint, &self.modes);
        let offers = self.offers.entry((before, after));
        offers.or_insert_with(|| Offers::new(joint, &modes[before], &modes[after]));
    }

    /// The longest path, with its joint states if they are wanted.
    fn run(
        &mut self,
        starts: &List<ModelIndex, Start>,
        wants_path: bool,
    ) -> Result<Option<LongestPath>, TooManyStates> {
        let joint = self.joint;
        let timetable = Timetable::new(joint, starts);
        let modes = self.modes_of(&timetable)?;
        let mut values: List<JointIndex, i64> = Vec::new().into();
        let mut came_from: List<Slot, List<JointIndex, JointIndex>> = Vec::new().into();
        for slot in joint.slots() {
            let mode = &self.modes[modes[slot]];
            let worth = |states: &[StateIndex]| -> i64 {
                let tasks = joint.tasks.iter().zip(states).zip(timetable.runs.iter());
                tasks.map(|((task, &state), run)| task.goodput(slot, state, Layer::of(slot, run.end))).sum()
            };
            let mut from = Vec::new();
            values = match slot.before() {
                None => mode.values(mode.openings(joint), worth),
                Some(before) => {
                    let offers = &self.offers[&(modes[before], modes[slot])];
                    let best = offers.best(&values, mode.conditions.len());
                    if wants_path {
                        from.extend(mode.needs.iter().map(|&needed| best[needed].from));
                    }
                    mode.values(mode.needs.iter().map(|&needed| best[needed].value), worth)
                }
            };
            came_from.push(from.into());
        }
        let best = values.entries().max_by_key(|&(state, value)| (value, Reverse(state)));
        let Some((last, &value)) = best.filter(|(_, value)| **value > NEVER) else { return Ok(None) };
        let states = if wants_path { self.path(&modes, &came_from, last) } else { Vec::new().into() };
        Ok(Some(LongestPath { value, states }))
    }

    /// The states of the path that ends in a joint state.
    fn path(
        &self,
        modes: &List<Slot, ModeIndex>,
        came_from: &List<Slot, List<JointIndex, JointIndex>>,
        mut state: JointIndex,
    ) -> List<Slot, List<ModelIndex, StateIndex>> {
        let mut path: List<Slot, List<ModelIndex, StateIndex>> = Vec::new().into();
        for slot in self.joint.slots().rev() {
            path.push(self.modes[modes[slot]].states.row(state).to_vec().into());
            if slot > Slot::FIRST {
                state = came_from[slot][state];
            }
        }
        path.reverse();
        path
    }
}

impl Mode {
    /// All joint states beside the retrainings that run.
    fn new(joint: &Joint<'_>, running: &Running, most_states: usize) -> Result<Self, TooManyStates> {
        let mut mode = Mode {
            states: Table::filled(0, joint.tasks.len(), StateIndex(0)),
            needs: Vec::new().into(),
            conditions: BTreeMap::new(),
        };
        let ages = joint.tasks.iter().map(TaskStates::ages);
        let per_choice = ages.fold(1u64, |product, ages| product.saturating_mul(u64::from(ages)));
        let per_choice = usize::try_from(per_choice).unwrap_or(usize::MAX);
        let mut is_small = true;
        joint.visit(running, &mut |allocations| {
            is_small &= mode.needs.len().saturating_add(per_choice) <= most_states;
            if is_small {
                mode.add(joint, allocations);
            }
        });
        if is_small { Ok(mode) } else { Err(TooManyStates) }
    }

    /// Adds the joint states with these allocations. Ages count like an odometer whose first wheel is the first model.
    fn add(&mut self, joint: &Joint<'_>, allocations: &[AllocationIndex]) {
        let mut states: Vec<State> =
            allocations.iter().map(|&allocation| State { allocation, age: 0 }).collect();
        loop {
            let numbers = joint.tasks.iter().zip(&states).map(|(task, &state)| task.index_of(state));
            let needed = joint.tasks.iter().zip(numbers.clone()).map(|(task, state)| task.needs[state]);
            let next = JointCondition::at(self.conditions.len());
            self.needs.push(*self.conditions.entry(needed.collect()).or_insert(next));
            self.states.push_row(numbers);
            let turn = |(task, state): (&TaskStates, &mut State)| {
                state.age = if state.age < task.oldest { state.age + 1 } else { 0 };
                state.age > 0
            };
            if !joint.tasks.iter().zip(&mut states).any(turn) {
                return;
            }
        }
    }

    /// Whether the window can begin with each joint state: 0 if so, else [`NEVER`].
    fn openings(&self, joint: &Joint<'_>) -> impl Iterator<Item = i64> {
        self.states.rows().map(|states| {
            let opens = joint.tasks.iter().zip(states).all(|(task, &state)| task.opens[state]);
            if opens { 0 } else { NEVER }
        })
    }

    /// The value of the best path up to each joint state, from what it is up to the slot before and what the slot is worth.
    fn values(
        &self,
        until_before: impl Iterator<Item = i64>,
        worth: impl Fn(&[StateIndex]) -> i64,
    ) -> List<JointIndex, i64> {
        let states = until_before.zip(self.states.rows());
        states.map(|(value, states)| if value > NEVER { value + worth(states) } else { NEVER }).collect()
    }
}

impl Offers {
    fn new(joint: &Joint<'_>, before: &Mode, after: &Mode) -> Self {
        let mut offers = Offers { begins: vec![0], conditions: Vec::new() };
        let mut given: Vec<Condition> = Vec::with_capacity(joint.tasks.len());
        for states in before.states.rows() {
            for staying in Staying::all(joint.tasks.len()) {
                given.clear();
                // A task that has nothing to give fulfils its part of the condition without staying, which is another set.
                let mut is_repeated = false;
                for ((model, task), &state) in joint.tasks.entries().zip(states) {
                    let stays = staying.contains(model);
                    given.push(if stays { task.gives[state] } else { Condition::NONE });
                    is_repeated |= stays && task.gives[state] == Condition::NONE;
                }
                if let Some(&condition) = after.conditions.get(&given).filter(|_| !is_repeated) {
                    offers.conditions.push(condition);
                }
            }
            offers.begins.push(offers.conditions.len());
        }
        offers
    }

    /// The best offer to each of `count` conditions, of equal ones the first.
    fn best(&self, values: &List<JointIndex, i64>, count: usize) -> List<JointCondition, Offer> {
        let mut best: List<JointCondition, Offer> =
            List::filled(count, Offer { value: NEVER, from: JointIndex(0) });
        for (state, &value) in values.iter().enumerate().filter(|(_, value)| **value > NEVER) {
            for &condition in &self.conditions[self.begins[state]..self.begins[state + 1]] {
                if value > best[condition].value {
                    best[condition] = Offer { value, from: JointIndex::at(state) };
                }
            }
        }
        best
    }
}
