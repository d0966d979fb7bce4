//! Rows of the GPU and of deployment: (1a), (1b), (2), (5a), (5b).

use super::columns::{Columns, SlotColumns};
use super::instances::instance_name;
use crate::section::Deployment;
use good_lp::{Expression, constraint};
use milp::ProgramBuilder;

impl Columns<'_> {
    /// (1a): a configuration is selected if, and only if, some of its instances are held. H is as small as it can be: the
    /// number of the configuration's instances.
    pub fn rows_1a(&self, builder: &mut ProgramBuilder) {
        for (slot, columns) in self.slots.iter().enumerate() {
            let sums = self.configuration_sums(columns);
            for (sum, (contents, selected)) in
                sums.into_iter().zip(self.configurations.iter().zip(&columns.selected))
            {
                let name = format!("{slot},{}", self.problem.gpu.name(contents));
                let selected = selected.variable;
                let large = f64::from(contents.instances());
                builder.row(format!("1a-used[{name}]"), constraint!(selected <= sum.clone()));
                builder.row(format!("1a-selected[{name}]"), constraint!(large * selected >= sum));
            }
        }
    }

    /// (1b): one configuration in each slot.
    pub fn rows_1b(&self, builder: &mut ProgramBuilder) {
        for (slot, columns) in self.slots.iter().enumerate() {
            let selected: Expression = columns.selected.iter().map(|selected| selected.variable).sum();
            builder.row(format!("1b[{slot}]"), constraint!(selected == 1));
        }
    }

    /// (2): no instance has two tasks.
    pub fn rows_2(&self, builder: &mut ProgramBuilder) {
        for (slot, columns) in self.slots.iter().enumerate() {
            for (position, instance) in self.instances.iter().enumerate() {
                let name = instance_name(&self.problem.gpu, &self.configurations, instance);
                let tasks = columns.models.iter().flat_map(|model| [&model.inference, &model.retraining]);
                let held = tasks.filter_map(|task| task.held[position]);
                let held: Expression = held.map(|held| held.variable).sum();
                builder.row(format!("2[{slot},{name}]"), constraint!(held <= 1));
            }
        }
    }

    /// (5a): GPCs of the inference task.
    pub fn rows_5a(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let task = &place.now.inference;
            let gpcs = self.sum(task, |instance| self.gpcs(instance.size));
            builder.row(format!("5a[{}]", place.name), constraint!(task.gpcs.variable == gpcs));
        }
    }

    /// (5b), as the text or as the formula has it: an instance of at least the minimum size, or as many GPCs.
    pub fn rows_5b(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let task = &place.now.inference;
            let minimum = self.tasks(place.model).minimum;
            let suffices = |size| if size >= minimum { 1.0 } else { 0.0 };
            let enough = match self.problem.readings.deployment {
                Deployment::Instance => {
                    constraint!(self.sum(task, |instance| suffices(instance.size)) >= 1)
                }
                Deployment::Gpcs => constraint!(task.gpcs.variable >= self.gpcs(minimum)),
            };
            builder.row(format!("5b[{}]", place.name), enough);
        }
    }

    /// How many instances of each configuration are held.
    fn configuration_sums(&self, columns: &SlotColumns) -> Vec<Expression> {
        let mut sums = vec![Expression::from(0.0); self.configurations.len()];
        for task in columns.models.iter().flat_map(|model| [&model.inference, &model.retraining]) {
            for (instance, held) in self.instances.iter().zip(&task.held) {
                if let Some(held) = held {
                    sums[instance.configuration] += held.variable;
                }
            }
        }
        sums
    }
}
