//! The objective and what is served: (8), (9), (10).

use super::columns::{Change, Columns, ModelColumns, Place};
use crate::instance::{Allocation, Exact, SizeIndex, capability, double, kept, outage_slots};
use crate::section::Reconfiguration;
use good_lp::{Expression, constraint};
use milp::ProgramBuilder;
use num_rational::Ratio;

impl Columns<'_> {
    /// (8): served requests times accuracy.
    pub(super) fn goodput(&self) -> Expression {
        let mut goodput = Expression::from(0.0);
        for place in self.places() {
            let tasks = self.tasks(place.model);
            goodput.add_mul(tasks.before.to_f64(), place.now.served_before.variable);
            goodput.add_mul(tasks.after.to_f64(), place.now.served_after.variable);
        }
        goodput
    }

    /// (9): throughput is `t0` before the completion and `t1` after it, each with its own accuracy; together they are at most
    /// what is received. Where a reconfiguration is charged more than a slot, both can be negative.
    pub fn rows_9(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let received = double(self.received(place.model, place.slot));
            let owed = double(self.most_owed(place.model));
            let complete = place.now.complete.variable;
            let (before, after) = (place.now.served_before.variable, place.now.served_after.variable);
            let name = &place.name;
            builder.row(format!("9-before[{name}]"), constraint!(before + received * complete <= received));
            builder.row(format!("9-after[{name}]"), constraint!(after <= received * complete));
            if owed > 0.0 {
                builder.row(format!("9-before-owed[{name}]"), constraint!(before - owed * complete >= -owed));
                builder.row(format!("9-after-owed[{name}]"), constraint!(after + owed * complete >= 0));
            }
        }
    }

    /// (10): throughput is at most the capability, and at most what a reconfiguration leaves of it.
    pub fn rows_10(&self, builder: &mut ProgramBuilder) {
        for place in self.places() {
            let one = |size| double(capability(self.problem, place.model, &self.problem.gpu.one(size)));
            let sum = self.sum(&place.now.inference, |instance| one(instance.size));
            let full = place.now.capability.variable;
            builder.row(format!("10[{}]", place.name), constraint!(full == sum));
            builder.row(format!("10-served[{}]", place.name), constraint!(served(place.now) <= full));
            match self.problem.readings.reconfiguration {
                Reconfiguration::Frac => self.rows_10_by_number(builder, &place),
                _ => self.rows_10_by_age(builder, &place),
            }
        }
    }

    /// What is left so many slots after a reconfiguration. As less is lost from slot to slot, the latest one decides.
    fn rows_10_by_age(&self, builder: &mut ProgramBuilder, place: &Place<'_>) {
        let nothing = self.problem.gpu.nothing();
        for age in 0..outage_slots(self.problem, place.model).min(place.slot + 1) {
            let then = &self.slots[(place.slot - age) as usize].models[place.model.index()];
            let Some(Change { reconfigured, .. }) = &then.change else { continue };
            let kept = kept(self.problem, place.model, &nothing, age);
            let room = double(self.room(place, kept));
            let left = double(kept) * place.now.capability.variable;
            builder.row(
                format!("10-lost[{},{age}]", place.name),
                constraint!(served(place.now) + room * reconfigured.variable <= left + room),
            );
        }
    }

    /// What is left in the slot of a reconfiguration with at most so many instances. As less is lost the more there are, the
    /// row of the true number decides.
    fn rows_10_by_number(&self, builder: &mut ProgramBuilder, place: &Place<'_>) {
        let Some(Change { reconfigured, .. }) = &place.now.change else { return };
        for (number, more) in (1_u32..).zip(&place.now.more) {
            let label = format!("10-more[{},{number}]", place.name);
            let held = place.now.inference.number.variable;
            builder.row(label, constraint!(f64::from(number + 1) * more.variable <= held));
        }
        if outage_slots(self.problem, place.model) == 0 {
            return;
        }
        for number in 1..=self.most_instances(place.model) {
            let kept = kept(self.problem, place.model, &self.small_instances(number), 0);
            let room = double(self.room(place, kept));
            let left = double(kept) * place.now.capability.variable;
            let more = place.now.more.get(number as usize - 1).map(|more| room * more.variable);
            let left = left + more.unwrap_or_default();
            builder.row(
                format!("10-lost[{},{number}]", place.name),
                constraint!(served(place.now) + room * reconfigured.variable <= left + room),
            );
        }
    }

    /// The smallest H for a row (10): by how much the throughput without a reconfiguration can exceed what one would leave.
    fn room(&self, place: &Place<'_>, kept: Exact) -> Exact {
        let (zero, one) = (Ratio::from_integer(0), Ratio::from_integer(1));
        let received = self.received(place.model, place.slot);
        let owed = (-kept).max(zero) * self.largest[place.model.index()].max(received);
        (one - kept.max(zero)) * received + owed
    }

    /// So many instances, of whatever size.
    fn small_instances(&self, number: u32) -> Allocation {
        (0..number).fold(self.problem.gpu.nothing(), |allocation, _| allocation.plus_one(SizeIndex(0)))
    }
}

/// Requests served with either accuracy.
fn served(columns: &ModelColumns) -> Expression {
    columns.served_before.variable + columns.served_after.variable
}
