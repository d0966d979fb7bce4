//! Rows of reconfigurations: (11).

use super::columns::{Columns, ModelColumns, signature_names};
use crate::instance::Allocation;
use crate::section::Signature;
use good_lp::{Expression, constraint};
use itertools::izip;
use milp::ProgramBuilder;

impl Columns<'_> {
    /// (11): an inference task is reconfigured if, and only if, an entry of its signature changes. An entry may be called
    /// equal only if it is; it need not be then, as a reconfiguration gains nothing.
    pub fn rows_11(&self, builder: &mut ProgramBuilder) {
        let (names, large) = (signature_names(self.problem), self.largest_entries());
        for place in self.places() {
            let Some(change) = &place.now.change else { continue };
            let now = self.signature(place.now);
            let before = match (place.before, &self.tasks(place.model).first) {
                (Some(before), _) => self.signature(before),
                (None, Some(first)) => self.problem.signature(first).into_iter().map(constant).collect(),
                (None, None) => continue,
            };
            let reconfigured = change.reconfigured.variable;
            let mut changed = Expression::from(0.0);
            let entries = izip!(&names, now, before, &change.equal, &large);
            for (entry, now, before, equal, &large) in entries {
                let name = format!("{},{entry}", place.name);
                let equal = equal.variable;
                let room = large - large * equal;
                builder.row(
                    format!("11-more[{name}]"),
                    constraint!(now.clone() - before.clone() <= room.clone()),
                );
                builder.row(format!("11-less[{name}]"), constraint!(before - now <= room));
                builder.row(format!("11-if[{name}]"), constraint!(reconfigured >= 1 - equal));
                changed += 1 - equal;
            }
            builder.row(format!("11-only-if[{}]", place.name), constraint!(reconfigured <= changed));
        }
    }

    /// The entries of [`Problem::signature`](crate::Problem::signature) as expressions.
    fn signature(&self, columns: &ModelColumns) -> Vec<Expression> {
        let task = &columns.inference;
        match self.problem.readings.signature {
            Signature::Count => vec![task.number.variable.into(), task.gpcs.variable.into()],
            Signature::Multiset => {
                let sizes = self.problem.gpu.size_indices();
                let is = |one, other| if one == other { 1.0 } else { 0.0 };
                sizes.map(|size| self.sum(task, |instance| is(instance.size, size))).collect()
            }
        }
    }

    /// By entry of the signature, its greatest value.
    fn largest_entries(&self) -> Vec<f64> {
        let signatures =
            self.configurations.iter().map(|contents: &Allocation| self.problem.signature(contents));
        let largest = signatures.reduce(|one, other| one.into_iter().zip(other).map(larger).collect());
        largest.unwrap_or_default().into_iter().map(f64::from).collect()
    }
}

fn larger((one, other): (u32, u32)) -> u32 {
    one.max(other)
}

fn constant(value: u32) -> Expression {
    Expression::from(f64::from(value))
}
