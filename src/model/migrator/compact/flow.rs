//! The program of what the presolve leaves open.
//!
//! Each inference task is a unit of flow through its states, in the layer before the completion of its retraining or in the
//! one after it; the start of the retraining decides where the flow changes layers. A state that is not entered anew needs
//! flow from a state that gives what it needs. In each slot the contents of the GPU are a choice of what fits, and agree with
//! the states and with the retrainings that run. The starts alone need to be integer for a bound.

use super::super::allocation::Allocation;
use super::super::formulation::{Formulation, GOODPUT};
use super::super::plan::{Plan, Retraining, TaskPlan};
use super::joint::Joint;
use super::presolve::Presolved;
use super::pricing::Start;
use crate::milp::{Handle, Program, ProgramBuilder, Sense};
use good_lp::{Expression, constraint, variable};
use std::collections::BTreeMap;

/// What of a problem the program is about.
#[derive(Clone, Copy)]
pub enum Scope<'a> {
    /// All plans.
    Whole,
    /// Plans of at least this goodput, in units; the objective is what they have above it.
    AtLeast(&'a Presolved, i64),
}

impl Scope<'_> {
    /// The most that a plan may lose.
    fn slack(&self) -> i64 {
        match self {
            Scope::Whole => 0,
            Scope::AtLeast(presolved, goodput) => presolved.price_bound - goodput,
        }
    }

    fn state_loss(&self, model: usize, is_retrained: bool, position: usize) -> i64 {
        match self {
            Scope::Whole => 0,
            Scope::AtLeast(presolved, _) => presolved.losses[model][usize::from(is_retrained)][position],
        }
    }

    fn content_loss(&self, slot: usize, position: usize) -> i64 {
        match self {
            Scope::Whole => 0,
            Scope::AtLeast(presolved, _) => presolved.content_losses[slot][position],
        }
    }

    /// The starts of a model's retraining, with their losses.
    fn starts(&self, joint: &Joint<'_>, model: usize) -> Vec<(i64, Start)> {
        match self {
            Scope::AtLeast(presolved, _) => {
                let mut starts: Vec<(i64, Start)> = presolved.starts[model]
                    .iter()
                    .filter(|&&(loss, _)| loss <= self.slack())
                    .copied()
                    .collect();
                starts.sort_by_key(|&(_, start)| start);
                starts
            }
            Scope::Whole => {
                let retrainings = joint.tasks[model].retrainings.iter().enumerate();
                retrainings
                    .flat_map(|(retraining, &(_, length))| {
                        (0..(joint.slots() + 1).saturating_sub(length as usize))
                            .map(move |from| (0, Start { retraining, from }))
                    })
                    .collect()
            }
        }
    }
}

/// A state of a task in a slot: state and layer.
type Place = (usize, bool);

/// The columns of a model.
#[derive(Default)]
struct TaskColumns {
    starts: BTreeMap<Start, Handle>,
    /// The first and the last slot before which the retraining can be complete.
    completion: (usize, usize),
    /// By slot, the share of the flow that is in the layer after the completion, where that is open.
    completed: Vec<Option<Handle>>,
    /// By slot.
    states: Vec<BTreeMap<Place, Handle>>,
}

/// The program, and what its columns stand for.
pub struct Flow<'a, 'p> {
    joint: &'a Joint<'p>,
    program: Program,
    tasks: Vec<TaskColumns>,
    /// By slot, contents and their columns, where they are a choice.
    contents: Vec<Vec<(usize, Handle)>>,
}

/// The program under construction.
struct Writer<'a, 'p> {
    joint: &'a Joint<'p>,
    scope: Scope<'a>,
    builder: ProgramBuilder,
    tasks: Vec<TaskColumns>,
    /// By model and slot, whether an allocation is left, by its least loss.
    allocations: Vec<Vec<BTreeMap<usize, i64>>>,
    /// By model and slot, what may run, by its least loss.
    running: Vec<Vec<BTreeMap<Option<usize>, i64>>>,
    contents: Vec<Vec<(usize, Handle)>>,
    goodput: Expression,
}

impl<'a, 'p> Flow<'a, 'p> {
    /// Writes the program. With `whole_states` the states are integer as well as the starts.
    pub fn new(joint: &'a Joint<'p>, scope: Scope<'a>, whole_states: bool) -> Self {
        let models = joint.tasks.len();
        let mut writer = Writer {
            joint,
            scope,
            builder: ProgramBuilder::new("migrator-compact"),
            tasks: (0..models).map(|_| TaskColumns::default()).collect(),
            allocations: Vec::new(),
            running: Vec::new(),
            contents: Vec::new(),
            goodput: Expression::default(),
        };
        for model in 0..models {
            writer.add_starts(model);
        }
        let open: Vec<Vec<usize>> = {
            writer.allocations = (0..models).map(|model| writer.open_allocations(model)).collect();
            (0..joint.slots()).map(|slot| writer.open_contents(slot)).collect()
        };
        writer.keep_allocations_of(&open);
        for model in 0..models {
            writer.add_states(model, whole_states);
            writer.add_flow(model);
        }
        for (slot, open) in open.iter().enumerate() {
            writer.add_contents(slot, open);
        }
        let base = match scope {
            Scope::Whole => 0,
            Scope::AtLeast(_, goodput) => goodput,
        };
        let above = writer.goodput - base as f64 / joint.problem.units as f64;
        writer.builder.stage(GOODPUT, Sense::Maximize, above, None);
        Flow { joint, program: writer.builder.build(), tasks: writer.tasks, contents: writer.contents }
    }

    /// The retraining and the state of each slot that a plan stands for; `None` if it has an allocation that is not
    /// among the states.
    fn states_of(&self, model: usize, plan: &TaskPlan) -> Option<(Start, Vec<Place>)> {
        let task = &self.joint.tasks[model];
        let problem = self.joint.problem;
        let retraining = plan.retraining?;
        let position = task.retrainings.iter().position(|&(size, _)| size == retraining.size)?;
        let start = Start { retraining: position, from: retraining.from as usize };
        let mut places = Vec::with_capacity(plan.inference.len());
        let mut before = problem.model(task.model).first.as_ref();
        let mut age = task.oldest;
        for (slot, allocation) in (0..).zip(&plan.inference) {
            let changes =
                before.is_some_and(|before| problem.signature(before) != problem.signature(allocation));
            age = if changes { 0 } else { task.oldest.min(age + usize::from(slot > 0)) };
            let position = task.allocations.iter().position(|other| other == allocation)?;
            places.push((position * (task.oldest + 1) + age, slot >= retraining.until));
            before = Some(allocation);
        }
        Some((start, places))
    }
}

impl Formulation for Flow<'_, '_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Plan {
        let task = |(model, own): (usize, &TaskColumns)| {
            let task = &self.joint.tasks[model];
            let largest = |one: &f64, other: &f64| one.total_cmp(other);
            let start = own
                .starts
                .iter()
                .max_by(|(_, one), (_, other)| largest(&columns[one.index], &columns[other.index]));
            let retraining = start.map(|(start, _)| {
                let (size, length) = task.retrainings[start.retraining];
                let from = start.from as u32;
                Retraining { size, from, until: from + length }
            });
            let allocation = |states: &BTreeMap<Place, Handle>| -> Allocation {
                let mut shares = vec![0.0; task.allocations.len()];
                for (&(state, _), handle) in states {
                    shares[task.allocation_of(state)] += columns[handle.index];
                }
                let best = shares.iter().enumerate().max_by(|(_, one), (_, other)| largest(one, other));
                best.map_or_else(
                    || self.joint.problem.gpu.nothing(),
                    |(position, _)| task.allocations[position].clone(),
                )
            };
            TaskPlan { retraining, inference: own.states.iter().map(allocation).collect() }
        };
        Plan::new(self.tasks.iter().enumerate().map(task).collect())
    }

    fn encode(&self, plan: &Plan) -> Option<Vec<f64>> {
        let mut columns = vec![0.0; self.program.columns.len()];
        let mut held: Vec<Vec<usize>> = vec![Vec::new(); self.joint.slots()];
        let mut running: Vec<Vec<Option<usize>>> = vec![Vec::new(); self.joint.slots()];
        for (model, (own, plan)) in self.tasks.iter().zip(&plan.tasks).enumerate() {
            let (start, places) = self.states_of(model, plan)?;
            columns[own.starts.get(&start)?.index] = 1.0;
            let length = self.joint.tasks[model].retrainings[start.retraining].1 as usize;
            for (slot, place) in places.into_iter().enumerate() {
                columns[own.states[slot].get(&place)?.index] = 1.0;
                if let Some(completed) = own.completed[slot] {
                    columns[completed.index] = f64::from(u8::from(place.1));
                }
                held[slot].push(self.joint.tasks[model].allocation_of(place.0));
                let runs = (start.from..start.from + length).contains(&slot);
                running[slot].push(runs.then_some(start.retraining));
            }
        }
        for (slot, open) in self.contents.iter().enumerate().filter(|(_, open)| !open.is_empty()) {
            let is_held = |position: usize| {
                let contents = &self.joint.contents[position];
                contents.allocations == held[slot] && contents.retrainings == running[slot]
            };
            let (_, handle) = open.iter().find(|&&(position, _)| is_held(position))?;
            columns[handle.index] = 1.0;
        }
        Some(columns)
    }
}

impl Writer<'_, '_> {
    fn name(&self, model: usize) -> &str {
        &self.joint.problem.models[model].name
    }

    /// The starts of a retraining, and what runs in each slot.
    fn add_starts(&mut self, model: usize) {
        let joint = self.joint;
        let slots = joint.slots();
        let starts = self.scope.starts(joint, model);
        let mut running = vec![BTreeMap::new(); slots];
        let mut ending: BTreeMap<usize, Expression> = BTreeMap::new();
        let mut all = Expression::default();
        let mut columns = TaskColumns::default();
        // The least loss of a start that is over, or has not begun, in a slot.
        let mut idle_until = vec![i64::MAX; slots + 1];
        let mut idle_from = vec![i64::MAX; slots + 1];
        for &(loss, start) in &starts {
            let (size, length) = joint.tasks[model].retrainings[start.retraining];
            let size = &joint.problem.gpu.size(size).name;
            let name = format!("z[{},{size},{}]", self.name(model), start.from);
            let handle = Handle::add(&mut self.builder, name, variable().binary());
            let end = start.from + length as usize;
            all += handle.variable;
            *ending.entry(end).or_default() += handle.variable;
            for of_slot in &mut running[start.from..end] {
                let least = of_slot.entry(Some(start.retraining)).or_insert(loss);
                *least = loss.min(*least);
            }
            idle_until[start.from] = idle_until[start.from].min(loss);
            idle_from[end] = idle_from[end].min(loss);
            columns.starts.insert(start, handle);
        }
        let mut least = i64::MAX;
        for idle in &mut idle_from {
            least = least.min(*idle);
            *idle = least;
        }
        least = i64::MAX;
        for slot in (0..slots).rev() {
            least = least.min(idle_until[slot + 1]);
            let idle = least.min(idle_from[slot]);
            if idle < i64::MAX {
                running[slot].insert(None, idle);
            }
        }
        self.builder.row(format!("start[{}]", self.name(model)), constraint!(all == 1));
        let (first, last) = match (ending.keys().next(), ending.keys().next_back()) {
            (Some(&first), Some(&last)) => (first, last),
            _ => (slots, slots),
        };
        columns.completion = (first, last);
        let mut before: Option<Handle> = None;
        for slot in 0..slots {
            if slot < first || slot >= last {
                columns.completed.push(None);
                continue;
            }
            let name = format!("completed[{},{slot}]", self.name(model));
            let handle = Handle::add(&mut self.builder, name, variable().min(0).max(1));
            let mut gained = ending.remove(&slot).unwrap_or_default();
            if let Some(before) = before {
                gained += before.variable;
            }
            let label = format!("completed[{},{slot}]", self.name(model));
            self.builder.row(label, constraint!(gained - handle.variable == 0));
            columns.completed.push(Some(handle));
            before = Some(handle);
        }
        columns.states = vec![BTreeMap::new(); slots];
        self.tasks[model] = columns;
        self.running.push(running);
    }

    /// Which layers a task can be in: before and after the completion.
    fn layers(&self, model: usize, slot: usize) -> [bool; 2] {
        let (first, last) = self.tasks[model].completion;
        [slot < last, slot >= first]
    }

    /// Places of a task in a slot that no plan of the scope has to avoid.
    fn open_places(&self, model: usize, slot: usize) -> Vec<(Place, i64)> {
        let task = &self.joint.tasks[model];
        let count = task.count();
        let layers = self.layers(model, slot);
        let mut places = Vec::new();
        for is_retrained in [false, true] {
            if !layers[usize::from(is_retrained)] {
                continue;
            }
            for state in 0..count {
                let loss = self.scope.state_loss(model, is_retrained, slot * count + state);
                if (slot > 0 || task.opens[state]) && loss <= self.scope.slack() {
                    places.push(((state, is_retrained), loss));
                }
            }
        }
        places
    }

    fn open_allocations(&self, model: usize) -> Vec<BTreeMap<usize, i64>> {
        let of_slot = |slot: usize| {
            let mut open = BTreeMap::new();
            for ((state, _), loss) in self.open_places(model, slot) {
                let least = open.entry(self.joint.tasks[model].allocation_of(state)).or_insert(loss);
                *least = loss.min(*least);
            }
            open
        };
        (0..self.joint.slots()).map(of_slot).collect()
    }

    /// Contents of a slot that a plan of the scope can have: the losses of different models, and that of the contents, add
    /// up.
    fn open_contents(&self, slot: usize) -> Vec<usize> {
        let loss = |contents: &super::joint::Contents| -> Option<i64> {
            let mut sum: i64 = 0;
            for model in 0..self.tasks.len() {
                let of_allocation = *self.allocations[model][slot].get(&contents.allocations[model])?;
                let of_retraining = *self.running[model][slot].get(&contents.retrainings[model])?;
                sum = sum.saturating_add(of_allocation.max(of_retraining));
            }
            Some(sum)
        };
        let is_open = |&(position, contents): &(usize, &super::joint::Contents)| {
            loss(contents)
                .is_some_and(|loss| loss + self.scope.content_loss(slot, position) <= self.scope.slack())
        };
        self.joint.contents.iter().enumerate().filter(is_open).map(|(position, _)| position).collect()
    }

    /// Drops the allocations that are in no open contents.
    fn keep_allocations_of(&mut self, open: &[Vec<usize>]) {
        for (slot, open) in open.iter().enumerate() {
            for (model, of_slots) in self.allocations.iter_mut().enumerate() {
                let contents = &self.joint.contents;
                of_slots[slot].retain(|allocation, _| {
                    open.iter().any(|&position| contents[position].allocations[model] == *allocation)
                });
            }
        }
    }

    fn add_states(&mut self, model: usize, is_whole: bool) {
        let joint = self.joint;
        let task = &joint.tasks[model];
        let units = joint.problem.units as f64;
        for slot in 0..joint.slots() {
            for (place, _) in self.open_places(model, slot) {
                let (state, is_retrained) = place;
                let allocation = task.allocation_of(state);
                if !self.allocations[model][slot].contains_key(&allocation) {
                    continue;
                }
                let definition = variable().min(0).max(1);
                let definition = if is_whole { definition.integer() } else { definition };
                let name = format!(
                    "x[{},{slot},{},{},{}]",
                    self.name(model),
                    joint.problem.gpu.name(&task.allocations[allocation]),
                    state % (task.oldest + 1),
                    u8::from(is_retrained)
                );
                let handle = Handle::add(&mut self.builder, name, definition);
                self.goodput += task.goodput(slot, state, is_retrained) as f64 / units * handle.variable;
                self.tasks[model].states[slot].insert(place, handle);
            }
        }
    }

    fn add_flow(&mut self, model: usize) {
        let joint = self.joint;
        let task = &joint.tasks[model];
        for slot in 0..joint.slots() {
            let places = std::mem::take(&mut self.tasks[model].states[slot]);
            let in_layer = |is_retrained: bool| -> Expression {
                let places = places.iter().filter(|((_, layer), _)| *layer == is_retrained);
                places.map(|(_, handle)| handle.variable).sum()
            };
            let label = |family: &str| format!("{family}[{},{slot}]", self.name(model));
            let (before, after) = (label("before"), label("after"));
            match (self.tasks[model].completed[slot], self.layers(model, slot)) {
                (Some(completed), _) => {
                    let row = constraint!(in_layer(false) + completed.variable == 1);
                    self.builder.row(before, row);
                    self.builder.row(after, constraint!(in_layer(true) - completed.variable == 0));
                }
                (None, [true, _]) => self.builder.row(before, constraint!(in_layer(false) == 1)),
                (None, _) => self.builder.row(after, constraint!(in_layer(true) == 1)),
            }
            if slot > 0 {
                let mut needed: BTreeMap<usize, [Expression; 2]> = BTreeMap::new();
                for (&(state, is_retrained), handle) in &places {
                    if task.needs[state] != 0 {
                        let entry = needed.entry(task.needs[state]).or_default();
                        entry[usize::from(is_retrained)] += handle.variable;
                    }
                }
                let mut given: BTreeMap<usize, [Expression; 2]> = BTreeMap::new();
                for (&(state, is_retrained), handle) in &self.tasks[model].states[slot - 1] {
                    let entry = given.entry(task.gives[state]).or_default();
                    entry[usize::from(is_retrained)] += handle.variable;
                }
                for (condition, [early, late]) in needed {
                    let [early_given, late_given] = given.remove(&condition).unwrap_or_default();
                    let label =
                        |layer: &str| format!("stay-{layer}[{},{slot},{condition}]", self.name(model));
                    let (one, both) = (label("before"), label("any"));
                    self.builder.row(one, constraint!(early.clone() - early_given.clone() <= 0));
                    let row = constraint!(early + late - early_given - late_given <= 0);
                    self.builder.row(both, row);
                }
            }
            self.tasks[model].states[slot] = places;
        }
    }

    /// The contents of a slot agree with states and starts, unless everything that is left fits with everything.
    fn add_contents(&mut self, slot: usize, open: &[usize]) {
        let joint = self.joint;
        let models = self.tasks.len();
        let choices: usize = (0..models)
            .map(|model| self.allocations[model][slot].len() * self.running[model][slot].len())
            .product();
        if open.len() == choices {
            self.contents.push(Vec::new());
            return;
        }
        let mut columns = Vec::with_capacity(open.len());
        let mut of_allocation: Vec<BTreeMap<usize, Expression>> = vec![BTreeMap::new(); models];
        let mut of_retraining: Vec<BTreeMap<usize, Expression>> = vec![BTreeMap::new(); models];
        let mut all = Expression::default();
        for &position in open {
            let name = format!("y[{slot},{position}]");
            let handle = Handle::add(&mut self.builder, name, variable().min(0).max(1));
            all += handle.variable;
            let contents = &joint.contents[position];
            for model in 0..models {
                *of_allocation[model].entry(contents.allocations[model]).or_default() += handle.variable;
                if let Some(retraining) = contents.retrainings[model] {
                    *of_retraining[model].entry(retraining).or_default() += handle.variable;
                }
            }
            columns.push((position, handle));
        }
        self.builder.row(format!("contents[{slot}]"), constraint!(all == 1));
        for model in 0..models {
            let task = &joint.tasks[model];
            let mut states: BTreeMap<usize, Expression> = BTreeMap::new();
            for (&(state, _), handle) in &self.tasks[model].states[slot] {
                *states.entry(task.allocation_of(state)).or_default() += handle.variable;
            }
            for (allocation, expression) in std::mem::take(&mut of_allocation[model]) {
                let held = states.remove(&allocation).unwrap_or_default();
                let name = joint.problem.gpu.name(&task.allocations[allocation]);
                let label = format!("holds[{},{slot},{name}]", self.name(model));
                self.builder.row(label, constraint!(expression - held == 0));
            }
            let mut runs: BTreeMap<usize, Expression> = BTreeMap::new();
            for (start, handle) in &self.tasks[model].starts {
                let length = task.retrainings[start.retraining].1 as usize;
                if (start.from..start.from + length).contains(&slot) {
                    *runs.entry(start.retraining).or_default() += handle.variable;
                }
            }
            for (retraining, running) in runs {
                let expression = of_retraining[model].remove(&retraining).unwrap_or_default();
                let name = &joint.problem.gpu.size(task.retrainings[retraining].0).name;
                let label = format!("runs[{},{slot},{name}]", self.name(model));
                self.builder.row(label, constraint!(expression - running == 0));
            }
        }
        self.contents.push(columns);
    }
}
