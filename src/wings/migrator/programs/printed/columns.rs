//! The columns of the printed program.

use super::instances::{ConfiguredInstance, instance_name, instances_of};
use crate::instance::{
    Allocation, Exact, ModelIndex, ModelTasks, Problem, SizeIndex, capability, double, exact, kept,
    outage_slots,
};
use crate::section::{Reconfiguration, Signature};
use good_lp::{Expression, variable};
use milp::{Handle, ProgramBuilder};
use num_rational::Ratio;

/// The columns of the printed program.
pub struct Columns<'p> {
    /// The problem.
    pub problem: &'p Problem,
    /// The configurations: everything that fits the GPU and to which nothing can be added; on an A100 the paper's twelve.
    pub configurations: Vec<Allocation>,
    /// Their instances.
    pub instances: Vec<ConfiguredInstance>,
    /// The greatest capability of each model, in requests per slot.
    pub largest: Vec<Exact>,
    /// By slot.
    pub slots: Vec<SlotColumns>,
}

/// The columns of a slot.
pub struct SlotColumns {
    /// F by configuration: it is the GPU's.
    pub selected: Vec<Handle>,
    /// By model.
    pub models: Vec<ModelColumns>,
}

/// The columns of a task in a slot.
pub struct TaskColumns {
    /// X by instance of [`Columns::instances`]; none where the task cannot use it.
    pub held: Vec<Option<Handle>>,
    /// N, how many instances the task has.
    pub number: Handle,
    /// Y, how many GPCs it has.
    pub gpcs: Handle,
}

/// The columns of a model in a slot.
pub struct ModelColumns {
    /// Its inference task.
    pub inference: TaskColumns,
    /// Its retraining task.
    pub retraining: TaskColumns,
    /// C: the retraining runs.
    pub running: Handle,
    /// Starts that end within the window.
    pub starts: Vec<Start>,
    /// e: the retraining task has as many GPCs as in the slot before; none in the first slot.
    pub same_gpcs: Option<Handle>,
    /// k: the retraining ended with the slot before; none in the first slot.
    pub finished: Option<Handle>,
    /// Completion: the retraining is complete.
    pub complete: Handle,
    /// What is known of a reconfiguration; none in a first slot that has nothing before it.
    pub change: Option<Change>,
    /// By n from 1 on: the inference task has more than n instances. Empty unless the loss depends on that.
    pub more: Vec<Handle>,
    /// Requests that the instances serve in the slot without a loss.
    pub capability: Handle,
    /// Requests served with the accuracy before retraining.
    pub served_before: Handle,
    /// Requests served with the accuracy after retraining.
    pub served_after: Handle,
}

/// z: the retraining starts on an instance of a size.
pub struct Start {
    /// The size.
    pub size: SizeIndex,
    /// Slots that it takes there.
    pub slots: u32,
    /// The column.
    pub begins: Handle,
}

/// Columns of row (11).
pub struct Change {
    /// R: the inference task is reconfigured.
    pub reconfigured: Handle,
    /// By entry of [`Problem::signature`]: it is what it was in the slot before.
    pub equal: Vec<Handle>,
}

/// A model in a slot, with its columns.
pub struct Place<'c> {
    /// The slot.
    pub slot: u32,
    /// The model.
    pub model: ModelIndex,
    /// Both in names of rows.
    pub name: String,
    /// The columns.
    pub now: &'c ModelColumns,
    /// Those of the slot before; none in the first slot.
    pub before: Option<&'c ModelColumns>,
}

impl<'p> Columns<'p> {
    /// Columns and rows of the program, roughly: both tasks of each model have every instance in every slot.
    pub fn size(problem: &Problem) -> (u64, u64) {
        let configurations: Vec<Allocation> = problem.gpu.maximal().cloned().collect();
        let instances = instances_of(&configurations).len() as u64;
        let places = u64::from(problem.slots) * problem.model_indices().count() as u64;
        let columns = places * (2 * instances + 16) + u64::from(problem.slots) * configurations.len() as u64;
        (columns, columns)
    }

    /// Adds the columns.
    pub fn add(builder: &mut ProgramBuilder, problem: &'p Problem) -> Self {
        let configurations: Vec<Allocation> = problem.gpu.maximal().cloned().collect();
        let largest = problem.model_indices().map(|model| largest_capability(problem, model)).collect();
        let instances = instances_of(&configurations);
        let mut columns = Columns { problem, configurations, instances, largest, slots: Vec::new() };
        columns.slots = (0..problem.slots).map(|slot| columns.slot(builder, slot)).collect();
        columns
    }

    fn slot(&self, builder: &mut ProgramBuilder, slot: u32) -> SlotColumns {
        let configuration = |contents| format!("F[{slot},{}]", self.problem.gpu.name(contents));
        let binary = |builder: &mut ProgramBuilder, name| Handle::add(builder, name, variable().binary());
        let selected = self.configurations.iter().map(|contents| binary(builder, configuration(contents)));
        let selected = selected.collect();
        let models = self.problem.model_indices().map(|model| self.model(builder, slot, model)).collect();
        SlotColumns { selected, models }
    }

    fn model(&self, builder: &mut ProgramBuilder, slot: u32, model: ModelIndex) -> ModelColumns {
        let problem = self.problem;
        let tasks = problem.model(model);
        let at = format!("{slot},{}", tasks.name);
        let largest = &self.largest[model.index()];
        let compute = problem.gpu.board.compute();
        let retrains = |size: SizeIndex| problem.retraining_sizes(model).any(|(usable, _)| usable == size);
        let inference = self.task(builder, &format!("{at},i"), compute, |_| true);
        let retraining = self.task(builder, &format!("{at},r"), 1, retrains);
        let mut binary = |name: String| Handle::add(builder, name, variable().binary());
        let running = binary(format!("C[{at}]"));
        let in_time = problem.retraining_sizes(model).filter(|(_, slots)| slot + slots <= problem.slots);
        let starts = in_time.map(|(size, slots)| {
            let begins = binary(format!("z[{at},{}]", problem.gpu.size(size).name));
            Start { size, slots, begins }
        });
        let starts = starts.collect();
        let same_gpcs = (slot > 0).then(|| binary(format!("e[{at}]")));
        let finished = (slot > 0).then(|| binary(format!("k[{at}]")));
        let change = (slot > 0 || tasks.first.is_some()).then(|| {
            let reconfigured = binary(format!("R[{at}]"));
            let equal =
                signature_names(problem).into_iter().map(|entry| binary(format!("equal[{at},{entry}]")));
            Change { reconfigured, equal: equal.collect() }
        });
        let most = self.most_instances(model);
        let more = match problem.readings.reconfiguration {
            Reconfiguration::Frac if change.is_some() => {
                (1..most).map(|number| binary(format!("more[{at},{number}]"))).collect()
            }
            _ => Vec::new(),
        };
        let latest = if slot > 0 { 1 } else { 0 };
        let complete = variable().integer().min(0).max(latest);
        let complete = Handle::add(builder, format!("Completion[{at}]"), complete);
        let capability = variable().min(0).max(double(*largest));
        let capability = Handle::add(builder, format!("capability[{at}]"), capability);
        let received = tasks.requests[slot as usize].to_f64();
        let owed = double(self.most_owed(model));
        let mut served =
            |name: &str| Handle::add(builder, format!("{name}[{at}]"), variable().min(-owed).max(received));
        let (served_before, served_after) = (served("t0"), served("t1"));
        ModelColumns {
            inference,
            retraining,
            running,
            starts,
            same_gpcs,
            finished,
            complete,
            change,
            more,
            capability,
            served_before,
            served_after,
        }
    }

    fn task(
        &self,
        builder: &mut ProgramBuilder,
        at: &str,
        most: u32,
        can_use: impl Fn(SizeIndex) -> bool,
    ) -> TaskColumns {
        let gpu = &self.problem.gpu;
        let mut held = |instance: &ConfiguredInstance| {
            let name = instance_name(gpu, &self.configurations, instance);
            can_use(instance.size)
                .then(|| Handle::add(builder, format!("X[{at},{name}]"), variable().binary()))
        };
        let held = self.instances.iter().map(&mut held).collect();
        let mut count = |name: &str, most: u32| {
            Handle::add(builder, format!("{name}[{at}]"), variable().integer().min(0).max(most))
        };
        TaskColumns { held, number: count("N", most), gpcs: count("Y", gpu.board.compute()) }
    }

    /// All models in all slots.
    pub fn places(&self) -> impl Iterator<Item = Place<'_>> {
        let slots = (0..).zip(&self.slots);
        let before = std::iter::once(None).chain(self.slots.iter().map(Some));
        slots.zip(before).flat_map(move |((slot, columns), before)| {
            self.problem.model_indices().zip(&columns.models).map(move |(model, now)| Place {
                slot,
                model,
                name: format!("{slot},{}", self.tasks(model).name),
                now,
                before: before.map(|before| &before.models[model.index()]),
            })
        })
    }

    /// A model.
    pub fn tasks(&self, model: ModelIndex) -> &'p ModelTasks {
        self.problem.model(model)
    }

    /// Requests received by a model in a slot.
    pub fn received(&self, model: ModelIndex, slot: u32) -> Exact {
        exact(self.tasks(model).requests[slot as usize])
    }

    /// The sum over a task's instances of what each counts.
    pub(super) fn sum(&self, task: &TaskColumns, counts: impl Fn(&ConfiguredInstance) -> f64) -> Expression {
        let mut sum = Expression::from(0.0);
        for (instance, held) in self.instances.iter().zip(&task.held) {
            if let Some(held) = held {
                sum.add_mul(counts(instance), held.variable);
            }
        }
        sum
    }

    /// GPCs of a size.
    pub fn gpcs(&self, size: SizeIndex) -> f64 {
        f64::from(self.problem.gpu.size(size).gpcs)
    }

    /// The most instances on which the inference task of a model can be deployed.
    pub fn most_instances(&self, model: ModelIndex) -> u32 {
        self.problem.allocations(model).iter().map(Allocation::instances).max().unwrap_or(0)
    }

    /// The most requests that a reconfiguration takes from what other slots serve: none unless the loss can exceed the
    /// capability.
    pub fn most_owed(&self, model: ModelIndex) -> Exact {
        let zero = Ratio::from_integer(0);
        if outage_slots(self.problem, model) == 0 {
            return zero;
        }
        let kept = kept(self.problem, model, &self.problem.gpu.nothing(), 0);
        (-kept).max(zero) * self.largest[model.index()]
    }
}

/// What the entries of [`Problem::signature`] are.
pub fn signature_names(problem: &Problem) -> Vec<String> {
    match problem.readings.signature {
        Signature::Count => vec!["instances".to_owned(), "gpcs".to_owned()],
        Signature::Multiset => problem.gpu.sizes.iter().map(|size| size.name.clone()).collect(),
    }
}

fn largest_capability(problem: &Problem, model: ModelIndex) -> Exact {
    let allocations = problem.allocations(model);
    let each = allocations.iter().map(|allocation| capability(problem, model, allocation));
    each.max().unwrap_or(Ratio::from_integer(0))
}
