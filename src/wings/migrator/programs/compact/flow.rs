//! The whole problem as a program.
//!
//! Each inference task is a unit of flow through its states, in the layer before the completion of its retraining or in the
//! one after it; the start of the retraining decides where the flow changes layers. A state that is not entered anew needs
//! flow from a state that gives what it needs. In each slot the contents of the GPU are a choice of what fits, and agree with
//! the states and with the retrainings that run.

use super::domain::Domain;
use super::index::{
    AllocationIndex, ByLayer, Condition, ContentsIndex, Layer, RetrainingIndex, Slot, Start, StateIndex, each,
};
use super::joint::{Contents, Held, Joint};
use super::list::List;
use super::states::{State, TaskStates};
use crate::instance::{Allocation, ModelIndex};
use crate::programs::encoding::Encoding;
use crate::rules::{GOODPUT, Plan, Retraining, TaskPlan};
use good_lp::{Expression, constraint, variable};
use milp::{Handle, Program, ProgramBuilder, Sense};
use std::collections::{BTreeMap, BTreeSet};

/// Where an inference task is in a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    state: StateIndex,
    layer: Layer,
}

/// Slots before which a retraining can be complete.
#[derive(Clone, Copy)]
struct Completion {
    first: Slot,
    last: Slot,
}

impl Completion {
    /// The layers in which a task can be in a slot.
    fn layers(self, slot: Slot) -> ByLayer<bool> {
        ByLayer { before: slot < self.last, after: slot >= self.first }
    }
}

/// The columns of a model.
struct TaskColumns {
    starts: BTreeMap<Start, Handle>,
    completion: Completion,
    /// The share of the flow that is in the layer after the completion, where that is open.
    completed: List<Slot, Option<Handle>>,
    states: List<Slot, BTreeMap<Place, Handle>>,
}

/// What a task can have in a slot.
struct Open {
    allocations: BTreeSet<AllocationIndex>,
    /// The retraining that runs, or none.
    running: BTreeSet<Option<RetrainingIndex>>,
}

/// Contents of a slot with their columns.
type ContentsColumns = Vec<(ContentsIndex, Handle)>;

/// The program, and what its columns stand for.
pub struct Flow<'a, 'p> {
    joint: &'a Joint<'p>,
    program: Program,
    tasks: List<ModelIndex, TaskColumns>,
    /// Empty where everything fits with everything, so that there is no choice.
    contents: List<Slot, ContentsColumns>,
}

/// The program under construction.
struct Writer<'a, 'p> {
    joint: &'a Joint<'p>,
    domain: Domain,
    builder: ProgramBuilder,
    tasks: List<ModelIndex, TaskColumns>,
    open: List<ModelIndex, List<Slot, Open>>,
    contents: List<Slot, ContentsColumns>,
    goodput: Expression,
}

impl<'a, 'p> Flow<'a, 'p> {
    /// Writes the program.
    pub fn new(joint: &'a Joint<'p>) -> Self {
        let mut writer = Writer {
            joint,
            domain: Domain::whole(joint),
            builder: ProgramBuilder::new("migrator-compact"),
            tasks: Vec::new().into(),
            open: Vec::new().into(),
            contents: Vec::new().into(),
            goodput: Expression::default(),
        };
        for model in joint.models() {
            writer.add_retraining(model);
        }
        let open: List<Slot, Vec<ContentsIndex>> =
            joint.slots().map(|slot| writer.open_contents(slot)).collect();
        writer.keep_allocations_of(&open);
        for model in joint.models() {
            writer.add_states(model);
            writer.add_flow(model);
        }
        for (slot, open) in open.entries() {
            writer.add_contents(slot, open);
        }
        let goodput = std::mem::take(&mut writer.goodput);
        writer.builder.stage(GOODPUT, Sense::Maximize, goodput, None);
        Flow { joint, program: writer.builder.build(), tasks: writer.tasks, contents: writer.contents }
    }

    /// The retraining and the place in each slot that a plan stands for; `None` if it has an allocation that is not
    /// among the states.
    fn places_of(&self, model: ModelIndex, plan: &TaskPlan) -> Option<(Start, List<Slot, Place>)> {
        let task = &self.joint.tasks[model];
        let problem = self.joint.problem;
        let retraining = plan.retraining?;
        let start = Start { retraining: task.retraining_on(retraining.size)?, from: Slot(retraining.from) };
        let mut places = Vec::with_capacity(plan.inference.len());
        let mut before = problem.model(model).first.as_ref();
        let mut age = task.oldest;
        for (slot, allocation) in (0..).map(Slot).zip(&plan.inference) {
            let changes =
                before.is_some_and(|before| problem.signature(before) != problem.signature(allocation));
            age = if changes { 0 } else { task.oldest.min(age + u32::from(slot > Slot::FIRST)) };
            let position = task.allocations.iter().position(|other| other == allocation)?;
            let state = State { allocation: AllocationIndex::at(position), age };
            let layer = Layer::of(slot, Slot(retraining.until));
            places.push(Place { state: task.index_of(state), layer });
            before = Some(allocation);
        }
        Some((start, places.into()))
    }
}

impl Encoding for Flow<'_, '_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn decode(&self, columns: &[f64]) -> Plan {
        let task = |(task, own): (&TaskStates, &TaskColumns)| {
            let largest = |one: &f64, other: &f64| one.total_cmp(other);
            let start = own
                .starts
                .iter()
                .max_by(|(_, one), (_, other)| largest(&columns[one.index], &columns[other.index]));
            let retraining = start.map(|(&start, _)| {
                let (size, run) = (task.retrainings[start.retraining].size, task.run_of(start));
                Retraining { size, from: run.start.0, until: run.end.0 }
            });
            let allocation = |states: &BTreeMap<Place, Handle>| -> Allocation {
                let mut shares: List<AllocationIndex, f64> = List::filled(task.allocations.len(), 0.0);
                for (place, handle) in states {
                    shares[task.allocation_of(place.state)] += columns[handle.index];
                }
                let best = shares.entries().max_by(|(_, one), (_, other)| largest(one, other));
                best.map_or_else(
                    || self.joint.problem.gpu.nothing(),
                    |(allocation, _)| task.allocations[allocation].clone(),
                )
            };
            TaskPlan { retraining, inference: own.states.iter().map(allocation).collect() }
        };
        Plan::new(self.joint.tasks.iter().zip(self.tasks.iter()).map(task).collect())
    }

    fn encode(&self, plan: &Plan) -> Option<Vec<f64>> {
        let mut columns = vec![0.0; self.program.columns.len()];
        let mut held: List<Slot, Contents> = List::filled(self.joint.slot_count(), Vec::new().into());
        for ((model, own), plan) in self.tasks.entries().zip(&plan.tasks) {
            let task = &self.joint.tasks[model];
            let (start, places) = self.places_of(model, plan)?;
            columns[own.starts.get(&start)?.index] = 1.0;
            for (slot, place) in places.entries() {
                columns[own.states[slot].get(place)?.index] = 1.0;
                if let Some(completed) = own.completed[slot] {
                    columns[completed.index] = if place.layer == Layer::After { 1.0 } else { 0.0 };
                }
                let runs = task.run_of(start).contains(&slot);
                held[slot].push(Held {
                    allocation: task.allocation_of(place.state),
                    running: runs.then_some(start.retraining),
                });
            }
        }
        for (slot, open) in self.contents.entries().filter(|(_, open)| !open.is_empty()) {
            let is_held = |contents: ContentsIndex| self.joint.contents[contents] == held[slot];
            let (_, handle) = open.iter().find(|&&(contents, _)| is_held(contents))?;
            columns[handle.index] = 1.0;
        }
        Some(columns)
    }
}

impl<'a> Writer<'a, '_> {
    fn name(&self, model: ModelIndex) -> &'a str {
        &self.joint.problem.model(model).name
    }

    /// The starts of a retraining, its completion, and what is open of the model.
    fn add_retraining(&mut self, model: ModelIndex) {
        let starts = self.add_starts(model);
        let task = &self.joint.tasks[model];
        let ends = || starts.keys().map(|&start| task.run_of(start).end);
        let completion = match (ends().min(), ends().max()) {
            (Some(first), Some(last)) => Completion { first, last },
            _ => Completion { first: self.joint.end(), last: self.joint.end() },
        };
        let completed = self.add_completed(model, &starts, completion);
        let states = List::filled(self.joint.slot_count(), BTreeMap::new());
        self.tasks.push(TaskColumns { starts, completion, completed, states });
        let open = |slot: Slot| {
            let places = self.open_places(model, slot).into_iter();
            let may_run = self.domain.may_run(model, slot);
            let running = task.retrainings.positions().map(Some).chain([None]);
            Open {
                allocations: places.map(|place| task.allocation_of(place.state)).collect(),
                running: running.filter(|&running| may_run.contains(running)).collect(),
            }
        };
        let open = self.joint.slots().map(open).collect();
        self.open.push(open);
    }

    fn add_starts(&mut self, model: ModelIndex) -> BTreeMap<Start, Handle> {
        let (name, task) = (self.name(model), &self.joint.tasks[model]);
        let mut starts = BTreeMap::new();
        let mut all = Expression::default();
        let mut open = self.domain.starts(model).to_vec();
        open.sort();
        for start in open {
            let size = &self.joint.problem.gpu.size(task.retrainings[start.retraining].size).name;
            let column = format!("z[{name},{size},{}]", start.from.0);
            let handle = Handle::add(&mut self.builder, column, variable().binary());
            all += handle.variable;
            starts.insert(start, handle);
        }
        self.builder.row(format!("start[{name}]"), constraint!(all == 1));
        starts
    }

    /// Where the completion is open, it is the one of the slot before and the starts that end here.
    fn add_completed(
        &mut self,
        model: ModelIndex,
        starts: &BTreeMap<Start, Handle>,
        completion: Completion,
    ) -> List<Slot, Option<Handle>> {
        let (name, task) = (self.name(model), &self.joint.tasks[model]);
        let mut ending: BTreeMap<Slot, Expression> = BTreeMap::new();
        for (&start, handle) in starts {
            *ending.entry(task.run_of(start).end).or_default() += handle.variable;
        }
        let mut completed: List<Slot, Option<Handle>> = List::filled(self.joint.slot_count(), None);
        for slot in each(completion.first..completion.last) {
            let label = format!("completed[{name},{}]", slot.0);
            let handle = Handle::add(&mut self.builder, label.clone(), variable().min(0).max(1));
            let mut gained = ending.remove(&slot).unwrap_or_default();
            if let Some(before) = slot.before().and_then(|before| completed[before]) {
                gained += before.variable;
            }
            self.builder.row(label, constraint!(gained - handle.variable == 0));
            completed[slot] = Some(handle);
        }
        completed
    }

    /// Places in which a task can be in a slot.
    fn open_places(&self, model: ModelIndex, slot: Slot) -> Vec<Place> {
        let task = &self.joint.tasks[model];
        let layers = self.tasks[model].completion.layers(slot);
        let mut places = Vec::new();
        for layer in [Layer::Before, Layer::After].into_iter().filter(|&layer| layers[layer]) {
            let states = task.states().filter(|&state| slot > Slot::FIRST || task.opens[state]);
            places.extend(states.map(|state| Place { state, layer }));
        }
        places
    }

    /// Contents that a slot can have.
    fn open_contents(&self, slot: Slot) -> Vec<ContentsIndex> {
        let is_open = |&(_, contents): &(ContentsIndex, &Contents)| {
            self.open.iter().zip(contents.iter()).all(|(open, held)| {
                open[slot].allocations.contains(&held.allocation)
                    && open[slot].running.contains(&held.running)
            })
        };
        self.joint.contents.entries().filter(is_open).map(|(position, _)| position).collect()
    }

    /// Drops the allocations that are in no open contents.
    fn keep_allocations_of(&mut self, open: &List<Slot, Vec<ContentsIndex>>) {
        let contents = &self.joint.contents;
        for (model, of_slots) in self.joint.models().zip(self.open.iter_mut()) {
            for (of_slot, open) in of_slots.iter_mut().zip(open.iter()) {
                of_slot.allocations.retain(|&allocation| {
                    open.iter().any(|&position| contents[position][model].allocation == allocation)
                });
            }
        }
    }

    fn add_states(&mut self, model: ModelIndex) {
        let joint = self.joint;
        let task = &joint.tasks[model];
        let units = joint.problem.units as f64;
        for slot in joint.slots() {
            for place in self.open_places(model, slot) {
                let State { allocation, age } = task.state(place.state);
                if !self.open[model][slot].allocations.contains(&allocation) {
                    continue;
                }
                let definition = variable().min(0).max(1).integer();
                let name = format!(
                    "x[{},{},{},{age},{}]",
                    self.name(model),
                    slot.0,
                    joint.problem.gpu.name(&task.allocations[allocation]),
                    match place.layer {
                        Layer::Before => 0,
                        Layer::After => 1,
                    }
                );
                let handle = Handle::add(&mut self.builder, name, definition);
                let goodput = task.goodput(slot, place.state, place.layer) as f64 / units;
                self.goodput += goodput * handle.variable;
                self.tasks[model].states[slot].insert(place, handle);
            }
        }
    }

    /// In each slot the flow of a task is in the layer that the completion says, and comes from where it can come from.
    fn add_flow(&mut self, model: ModelIndex) {
        let name = self.name(model);
        for slot in self.joint.slots() {
            let task = &self.tasks[model];
            let in_layer = |layer: Layer| -> Expression {
                let places = task.states[slot].iter().filter(|(place, _)| place.layer == layer);
                places.map(|(_, handle)| handle.variable).sum()
            };
            let label = |family: &str| format!("{family}[{name},{}]", slot.0);
            let (before, after) = (in_layer(Layer::Before), in_layer(Layer::After));
            match task.completed[slot] {
                Some(completed) => {
                    self.builder.row(label("before"), constraint!(before + completed.variable == 1));
                    self.builder.row(label("after"), constraint!(after - completed.variable == 0));
                }
                None if task.completion.layers(slot).before => {
                    self.builder.row(label("before"), constraint!(before == 1));
                }
                None => self.builder.row(label("after"), constraint!(after == 1)),
            }
            if let Some(before) = slot.before() {
                self.add_stays(model, before, slot);
            }
        }
    }

    /// A state that is not entered anew takes its flow from states that give what it needs: what is before the completion
    /// from what was so, and all together from all.
    fn add_stays(&mut self, model: ModelIndex, before: Slot, slot: Slot) {
        let (name, task) = (self.name(model), &self.joint.tasks[model]);
        let by_condition = |slot: Slot, conditions: &List<StateIndex, Condition>| {
            let mut flows: BTreeMap<Condition, ByLayer<Expression>> = BTreeMap::new();
            for (place, handle) in &self.tasks[model].states[slot] {
                flows.entry(conditions[place.state]).or_default()[place.layer] += handle.variable;
            }
            flows
        };
        let needed = by_condition(slot, &task.needs);
        let mut given = by_condition(before, &task.gives);
        for (condition, needed) in needed.into_iter().filter(|&(condition, _)| condition != Condition::NONE) {
            let given = given.remove(&condition).unwrap_or_default();
            let label = |layer: &str| format!("stay-{layer}[{name},{},{}]", slot.0, condition.0);
            let row = constraint!(needed.before.clone() - given.before.clone() <= 0);
            self.builder.row(label("before"), row);
            let row = constraint!(needed.before + needed.after - given.before - given.after <= 0);
            self.builder.row(label("any"), row);
        }
    }

    /// The contents of a slot agree with states and starts, unless everything that is left fits with everything.
    fn add_contents(&mut self, slot: Slot, open: &[ContentsIndex]) {
        let of_model = |open: &List<Slot, Open>| open[slot].allocations.len() * open[slot].running.len();
        let choices: usize = self.open.iter().map(of_model).product();
        if open.len() == choices {
            self.contents.push(Vec::new());
            return;
        }
        let mut columns = Vec::with_capacity(open.len());
        let mut all = Expression::default();
        for &position in open {
            let name = format!("y[{},{}]", slot.0, position.0);
            let handle = Handle::add(&mut self.builder, name, variable().min(0).max(1));
            all += handle.variable;
            columns.push((position, handle));
        }
        self.builder.row(format!("contents[{}]", slot.0), constraint!(all == 1));
        for model in self.joint.models() {
            self.add_holds(model, slot, &columns);
            self.add_runs(model, slot, &columns);
        }
        self.contents.push(columns);
    }

    /// Of each allocation there is as much in the contents as in the states of a task.
    fn add_holds(&mut self, model: ModelIndex, slot: Slot, columns: &ContentsColumns) {
        let (name, task) = (self.name(model), &self.joint.tasks[model]);
        let mut in_contents: BTreeMap<AllocationIndex, Expression> = BTreeMap::new();
        for &(contents, handle) in columns {
            let held = self.joint.contents[contents][model];
            *in_contents.entry(held.allocation).or_default() += handle.variable;
        }
        let mut in_states: BTreeMap<AllocationIndex, Expression> = BTreeMap::new();
        for (place, handle) in &self.tasks[model].states[slot] {
            *in_states.entry(task.allocation_of(place.state)).or_default() += handle.variable;
        }
        for (allocation, in_contents) in in_contents {
            let held = in_states.remove(&allocation).unwrap_or_default();
            let instances = self.joint.problem.gpu.name(&task.allocations[allocation]);
            let label = format!("holds[{name},{},{instances}]", slot.0);
            self.builder.row(label, constraint!(in_contents - held == 0));
        }
    }

    /// Of each retraining there is as much in the contents as has been started and still runs.
    fn add_runs(&mut self, model: ModelIndex, slot: Slot, columns: &ContentsColumns) {
        let (name, task) = (self.name(model), &self.joint.tasks[model]);
        let mut in_contents: BTreeMap<RetrainingIndex, Expression> = BTreeMap::new();
        for &(contents, handle) in columns {
            if let Some(retraining) = self.joint.contents[contents][model].running {
                *in_contents.entry(retraining).or_default() += handle.variable;
            }
        }
        let mut runs: BTreeMap<RetrainingIndex, Expression> = BTreeMap::new();
        for (&start, handle) in &self.tasks[model].starts {
            if task.run_of(start).contains(&slot) {
                *runs.entry(start.retraining).or_default() += handle.variable;
            }
        }
        for (retraining, running) in runs {
            let in_contents = in_contents.remove(&retraining).unwrap_or_default();
            let size = &self.joint.problem.gpu.size(task.retrainings[retraining].size).name;
            let label = format!("runs[{name},{},{size}]", slot.0);
            self.builder.row(label, constraint!(in_contents - running == 0));
        }
    }
}
