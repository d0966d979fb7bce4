//! From points of the printed program to plans and back.

use super::columns::{Columns, ModelColumns, SlotColumns, TaskColumns};
use crate::instance::{Allocation, ModelIndex, capability, double, kept};
use crate::rules::{Plan, Retraining, TaskPlan};
use milp::Handle;

/// A point under construction.
struct Point(Vec<f64>);

impl Point {
    fn set(&mut self, column: Handle, value: f64) {
        self.0[column.index] = value;
    }

    fn set_if(&mut self, column: Handle, holds: bool) {
        self.set(column, if holds { 1.0 } else { 0.0 });
    }
}

impl Columns<'_> {
    /// The plan that a point stands for.
    pub fn plan(&self, point: &[f64]) -> Plan {
        Plan::new(self.problem.model_indices().map(|model| self.task_plan(model, point)).collect())
    }

    fn task_plan(&self, model: ModelIndex, point: &[f64]) -> TaskPlan {
        let slots = || self.slots.iter().map(|columns| &columns.models[model.index()]);
        let started = |(slot, columns): (u32, &ModelColumns)| {
            let start = columns.starts.iter().find(|start| start.begins.whole(point) == 1)?;
            Some(Retraining { size: start.size, from: slot, until: slot + start.slots })
        };
        let inference = slots().map(|columns| self.held(&columns.inference, point)).collect();
        TaskPlan { retraining: (0..).zip(slots()).find_map(started), inference }
    }

    /// What a task has.
    fn held(&self, task: &TaskColumns, point: &[f64]) -> Allocation {
        let held = self.instances.iter().zip(&task.held);
        let held = held.filter(|(_, held)| held.is_some_and(|held| held.whole(point) == 1));
        held.fold(self.problem.gpu.nothing(), |contents, (instance, _)| contents.plus_one(instance.size))
    }

    /// A point of so many columns that stands for a plan that obeys all rules.
    pub fn point(&self, plan: &Plan, columns: usize) -> Vec<f64> {
        let mut point = Point(vec![0.0; columns]);
        for (slot, columns) in (0..).zip(&self.slots) {
            self.place_instances(&mut point, slot, columns, plan);
        }
        for (model, task) in self.problem.model_indices().zip(&plan.tasks) {
            self.place_retraining(&mut point, model, task);
            self.place_inference(&mut point, model, task);
        }
        point.0
    }

    /// F and X: the first configuration that has all the instances, and of each size the first ones that are left.
    fn place_instances(&self, point: &mut Point, slot: u32, columns: &SlotColumns, plan: &Plan) {
        let mut tasks: Vec<(&TaskColumns, Allocation)> = Vec::new();
        for (columns, task) in columns.models.iter().zip(&plan.tasks) {
            tasks.push((&columns.inference, task.inference[slot as usize].clone()));
            let running = task.retraining.filter(|retraining| retraining.runs(slot));
            tasks.extend(running.map(|running| (&columns.retraining, self.problem.gpu.one(running.size))));
        }
        let contents = tasks.iter().fold(self.problem.gpu.nothing(), |all, (_, own)| all.plus(own));
        let has_all = |configuration: &Allocation| {
            contents.counts().iter().zip(configuration.counts()).all(|(needed, offered)| needed <= offered)
        };
        let Some(configuration) = self.configurations.iter().position(has_all) else { return };
        point.set(columns.selected[configuration], 1.0);
        let mut left: Vec<bool> =
            self.instances.iter().map(|instance| instance.configuration == configuration).collect();
        for (columns, contents) in tasks {
            for size in contents.sizes() {
                let free = |position: &usize| left[*position] && self.instances[*position].size == size;
                let Some(position) = (0..left.len()).find(free) else { continue };
                left[position] = false;
                if let Some(held) = columns.held[position] {
                    point.set(held, 1.0);
                }
            }
        }
    }

    /// What follows from the retraining: its N, Y, C, z, e, k and Completion.
    fn place_retraining(&self, point: &mut Point, model: ModelIndex, task: &TaskPlan) {
        let Some(retraining) = task.retraining else { return };
        let gpcs = |slot: u32| if retraining.runs(slot) { self.gpcs(retraining.size) } else { 0.0 };
        for (slot, columns) in (0..).zip(&self.slots) {
            let columns = &columns.models[model.index()];
            point.set_if(columns.retraining.number, retraining.runs(slot));
            point.set(columns.retraining.gpcs, gpcs(slot));
            point.set_if(columns.running, retraining.runs(slot));
            for start in &columns.starts {
                point.set_if(start.begins, (start.size, slot) == (retraining.size, retraining.from));
            }
            if let (Some(same), Some(finished)) = (columns.same_gpcs, columns.finished) {
                point.set_if(same, gpcs(slot) == gpcs(slot - 1));
                point.set_if(finished, slot == retraining.until);
            }
            point.set_if(columns.complete, slot >= retraining.until);
        }
    }

    /// What follows from the allocations: N, Y, R and its parts, capability and throughput.
    fn place_inference(&self, point: &mut Point, model: ModelIndex, task: &TaskPlan) {
        let problem = self.problem;
        let mut before = self.tasks(model).first.as_ref();
        let mut age: Option<u32> = None;
        for ((slot, columns), allocation) in (0..).zip(&self.slots).zip(&task.inference) {
            let columns = &columns.models[model.index()];
            point.set(columns.inference.number, f64::from(allocation.instances()));
            point.set(columns.inference.gpcs, f64::from(problem.gpu.gpcs(allocation)));
            age = age.map(|age| age + 1);
            if let (Some(change), Some(before)) = (&columns.change, before) {
                let (now, ago) = (problem.signature(allocation), problem.signature(before));
                for ((equal, now), ago) in change.equal.iter().zip(&now).zip(&ago) {
                    point.set_if(*equal, now == ago);
                }
                point.set_if(change.reconfigured, now != ago);
                age = if now == ago { age } else { Some(0) };
            }
            for (number, more) in (1..).zip(&columns.more) {
                point.set_if(*more, allocation.instances() > number);
            }
            let full = capability(problem, model, allocation);
            point.set(columns.capability, double(full));
            let left = age.map_or(full, |age| full * kept(problem, model, allocation, age));
            let served = double(left.min(self.received(model, slot)));
            let is_retrained = task.retraining.is_some_and(|retraining| slot >= retraining.until);
            let accounts = [columns.served_before, columns.served_after];
            point.set(accounts[usize::from(is_retrained)], served);
            before = Some(allocation);
        }
    }
}
