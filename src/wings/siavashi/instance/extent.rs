//! What the goals of a problem are made of: their units and the most they can be.

use super::costs;
use super::machine::Machine;
use crate::section::{Goal, MigrationCosts};
use ground::Amount;
use kit::{SenseName, WeightsTooFine, exact_unit};

/// The goals' values of something, in the order of [`Goal::ALL`].
pub type Values = [Amount; Goal::ALL.len()];

/// What the goals of a problem are made of: their units and the most they can be.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The greatest amount of which every value of the goal is a whole multiple, in the order of [`Goal::ALL`].
    pub units: Values,
    /// No value is greater.
    pub most: Values,
}

/// Where something stands in a file, and what is wrong with it.
pub type Wrong = (&'static [&'static str], String);

impl Extent {
    /// Units and greatest values of the goals; else what is wrong, and under which keys.
    pub fn new(
        machines: &[Machine],
        acceptance: &[Amount],
        migration: &[Amount],
        costs: &MigrationCosts,
    ) -> Result<Self, Wrong> {
        let unit = |keys: &'static [&'static str], weights: &[Amount], most: Amount| {
            let located = |error: WeightsTooFine| (keys, format!("`{}`: {error}.", keys[keys.len() - 1]));
            exact_unit(weights, most, "Use coarser weights").map_err(located)
        };
        let hardware: Vec<Amount> =
            machines.iter().flat_map(|machine| [machine.weight, machine.gpu_weight]).collect();
        let most_expensive = costs.named().map(|(_, cost)| cost).into_iter().max().unwrap_or_default();
        let products = costs::products(migration, costs).map_err(|what| (costs::KEYS, what))?;
        let most = [
            acceptance.iter().copied().sum(),
            machines
                .iter()
                .map(|machine| machine.weight + machine.gpu_weight * machine.gpus.len() as i128)
                .sum(),
            migration.iter().map(|&weight| costs::weighted(most_expensive, weight)).sum(),
        ];
        let units = [
            unit(&["workloads", "acceptance_weight"], acceptance, most[0])?,
            unit(&["hosts", "weight"], &hardware, most[1])?,
            unit(costs::KEYS, &products, most[2])?,
        ];
        Ok(Extent { units, most })
    }

    /// The best value that a goal could have.
    pub fn best(&self, goal: Goal) -> Amount {
        match goal.sense() {
            SenseName::Maximize => self.most[goal as usize],
            SenseName::Minimize => Amount::ZERO,
        }
    }

    /// How many of the goal's units an amount is; every amount of a goal is a whole number of them.
    pub fn in_units(&self, goal: Goal, amount: Amount) -> i128 {
        amount
            .in_units_of(self.units[goal as usize])
            .expect("every amount of a goal is a multiple of its unit")
    }
}
