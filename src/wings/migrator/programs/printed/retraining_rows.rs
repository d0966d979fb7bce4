//! Rows of retraining: (3a)-(3f), (4), (12).

use super::columns::{Columns, ModelColumns};
use good_lp::{Expression, constraint};
use milp::ProgramBuilder;

impl Columns<'_> {
    /// (3a): instances of both tasks of a model. That the retraining task has at most one is a bound of its column.
    pub fn rows_3a(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            for (task, which) in [(&place.now.inference, "i"), (&place.now.retraining, "r")] {
                let number = self.sum(task, |_| 1.0);
                builder
                    .row(format!("3a[{},{which}]", place.name), constraint!(task.number.variable == number));
            }
        }
    }

    /// (3b): a retraining runs if, and only if, it has an instance. Both inequalities are one equation, as N is at most 1.
    pub fn rows_3b(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let number = place.now.retraining.number.variable;
            builder.row(format!("3b[{}]", place.name), constraint!(place.now.running.variable == number));
        }
    }

    /// (3c): a retraining starts in the slots in which it runs, but did not run in the slot before.
    pub fn rows_3c(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let running = place.now.running.variable;
            let name = &place.name;
            builder.row(format!("3c-running[{name}]"), constraint!(starts(place.now) <= running));
            let Some(before) = place.before else {
                builder.row(format!("3c-begun[{name}]"), constraint!(starts(place.now) >= running));
                continue;
            };
            let ran = before.running.variable;
            builder.row(format!("3c-idle[{name}]"), constraint!(starts(place.now) <= 1 - ran));
            builder.row(format!("3c-begun[{name}]"), constraint!(starts(place.now) >= running - ran));
        }
    }

    /// (3d): GPCs of the retraining task.
    pub fn rows_3d(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let task = &place.now.retraining;
            let gpcs = self.sum(task, |instance| self.gpcs(instance.size));
            builder.row(format!("3d[{}]", place.name), constraint!(task.gpcs.variable == gpcs));
        }
    }

    /// (3e): e may be 1 only if the retraining task has as many GPCs as in the slot before. It need not be 1 then: nothing
    /// is gained by leaving it at 0.
    pub fn rows_3e(&self, builder: &mut ProgramBuilder) {
        let large = f64::from(self.problem.gpu.board.compute());
        for place in self.places() {
            let (Some(before), Some(same)) = (place.before, place.now.same_gpcs) else { continue };
            let (ago, now) = (before.retraining.gpcs.variable, place.now.retraining.gpcs.variable);
            let room = large - large * same.variable;
            builder.row(format!("3e-more[{}]", place.name), constraint!(now - ago <= room.clone()));
            builder.row(format!("3e-less[{}]", place.name), constraint!(ago - now <= room));
        }
    }

    /// (3f): a retraining has the size with which it starts, keeps it as long as it takes there, and then stops.
    pub fn rows_3f(&self, builder: &mut ProgramBuilder) {
        let most = f64::from(self.problem.gpu.board.compute());
        for place in self.places() {
            let gpcs = place.now.retraining.gpcs.variable;
            let (mut least, mut excess) = (Expression::from(0.0), Expression::from(gpcs));
            for start in &place.now.starts {
                least.add_mul(self.gpcs(start.size), start.begins.variable);
                excess.add_mul(most - self.gpcs(start.size), start.begins.variable);
            }
            builder.row(format!("3f-least[{}]", place.name), constraint!(gpcs >= least));
            builder.row(format!("3f-most[{}]", place.name), constraint!(excess <= most));
            for start in &place.now.starts {
                let name = format!("{},{}", place.name, self.problem.gpu.size(start.size).name);
                let begins = start.begins.variable;
                let end = place.slot + start.slots;
                let later = |slot: u32| &self.slots[slot as usize].models[place.model.index()];
                let same = (place.slot + 1..end).filter_map(|slot| later(slot).same_gpcs);
                let same: Expression = same.map(|same| same.variable).sum();
                if start.slots > 1 {
                    let steps = f64::from(start.slots - 1);
                    builder.row(format!("3f-held[{name}]"), constraint!(same >= steps * begins));
                }
                if end < self.problem.slots {
                    let stops = later(end).running.variable;
                    builder.row(format!("3f-stops[{name}]"), constraint!(stops <= 1 - begins));
                }
            }
        }
    }

    /// (4): each model is retrained once. That it is so within the window is in the choice of columns.
    pub fn rows_4(&self, builder: &mut ProgramBuilder) {
        for model in self.problem.model_indices() {
            let all = self.slots.iter().map(|columns| starts(&columns.models[model.index()]));
            let all: Expression = all.sum();
            builder.row(format!("4[{}]", self.tasks(model).name), constraint!(all == 1));
        }
    }

    /// (12): a retraining is complete from the slot on in which it runs no more.
    pub fn rows_12(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let (Some(before), Some(finished)) = (place.before, place.now.finished) else { continue };
            let (ran, running) = (before.running.variable, place.now.running.variable);
            let (was, complete) = (before.complete.variable, place.now.complete.variable);
            let (finished, name) = (finished.variable, &place.name);
            builder.row(format!("12-ended[{name}]"), constraint!(finished >= ran - running));
            builder.row(format!("12-ran[{name}]"), constraint!(finished <= ran));
            builder.row(format!("12-idle[{name}]"), constraint!(finished <= 1 - running));
            builder.row(format!("12-stays[{name}]"), constraint!(complete >= was));
            builder.row(format!("12-complete[{name}]"), constraint!(complete >= finished));
            builder.row(format!("12-only[{name}]"), constraint!(complete <= was + finished));
        }
    }
}

/// Whether the retraining starts.
fn starts(columns: &ModelColumns) -> Expression {
    columns.starts.iter().map(|start| start.begins.variable).sum()
}
