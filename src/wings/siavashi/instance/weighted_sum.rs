//! The weighted sum of the goals, in exact amounts.

use super::extent::{Extent, Values};
use crate::section::{Goal, Weights};
use ground::Amount;
use kit::{WeightsTooFine, exact_unit};

/// The weighted sum of acceptance, less hardware, less migrations.
#[derive(Clone, Copy, Debug)]
pub struct WeightedSum {
    weights: Weights,
    extent: Extent,
    /// What one unit of each goal is worth, in the order of [`Goal::ALL`].
    steps: Values,
    /// What the sum is a whole multiple of.
    unit: Amount,
}

/// Why the weighted sum cannot be written exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExact {
    /// The weighted sum would need more than six digits after the point.
    #[error(
        "the weight of {goal} is {weight} and {goal} comes in steps of {unit}, so that the weighted sum would need more than six \
         digits after the point. Use coarser weights"
    )]
    Digits {
        /// The goal.
        goal: &'static str,
        /// Its weight.
        weight: Amount,
        /// Its unit.
        unit: Amount,
    },
    /// The weights are too far apart.
    #[error("{0}")]
    Range(#[from] WeightsTooFine),
}

impl WeightedSum {
    /// The sum with these weights, or with those that give the lexicographic optimum.
    ///
    /// # Errors
    /// When the weights make sums that doubles cannot tell apart; weights that [guarantee the
    /// order](WeightedSum::guarantees_order) need no sums.
    pub fn new(weights: Option<Weights>, extent: Extent) -> Result<Self, NotExact> {
        let weights = weights.unwrap_or_else(|| safe_weights(&extent));
        let mut sum = WeightedSum { weights, extent, steps: [Amount::ZERO; 3], unit: Amount::ONE };
        for goal in Goal::ALL {
            let (weight, unit) = (weights.of(goal), extent.units[goal as usize]);
            let too_fine = NotExact::Digits { goal: goal.name(), weight, unit };
            sum.steps[goal as usize] = weight.product(unit).ok_or(too_fine)?;
        }
        if !sum.guarantees_order() {
            let total = Goal::ALL.iter().map(|&goal| sum.worth(goal, extent.most[goal as usize])).sum();
            let advice = "Use coarser weights, leave them out, or solve with `--objective lexicographic`";
            sum.unit = exact_unit(&sum.steps, total, advice)?;
        }
        Ok(sum)
    }

    /// What one of each goal is worth.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Whether one unit of each goal outweighs all that the goals after it can be.
    pub fn guarantees_order(&self) -> bool {
        let [acceptance, hardware, migrations] = self.steps;
        let [_, most_hardware, most_migrations] =
            Goal::ALL.map(|goal| self.worth(goal, self.extent.most[goal as usize]));
        let none = |amount: Amount| amount == Amount::ZERO;
        (migrations > Amount::ZERO || none(self.extent.most[Goal::Migrations as usize]))
            && (hardware > most_migrations || none(self.extent.most[Goal::Hardware as usize]))
            && acceptance > most_hardware + most_migrations
    }

    /// What a value of a goal is worth in the sum.
    pub fn worth(&self, goal: Goal, value: Amount) -> Amount {
        self.steps[goal as usize] * self.extent.in_units(goal, value)
    }

    /// The sum for these values of the goals.
    pub fn of(&self, values: Values) -> Amount {
        let [acceptance, hardware, migrations] =
            Goal::ALL.map(|goal| self.worth(goal, values[goal as usize]));
        acceptance - hardware - migrations
    }

    /// What the sum is a whole multiple of.
    pub fn unit(&self) -> Amount {
        self.unit
    }

    /// How many units of the sum one unit of a goal is worth.
    pub fn step(&self, goal: Goal) -> i128 {
        self.steps[goal as usize].in_units_of(self.unit).expect("a common unit")
    }
}

/// Whole weights under which one unit of each goal outweighs all goals after it.
fn safe_weights(extent: &Extent) -> Weights {
    let [acceptance, hardware, _] = extent.units;
    let [_, most_hardware, most_migrations] = extent.most;
    let above = |amount: Amount, unit: Amount| 1 + amount.millionths() / unit.millionths();
    let of_hardware = above(most_migrations, hardware);
    let below = most_hardware * of_hardware + most_migrations;
    Weights::new([Amount::whole(above(below, acceptance)), Amount::whole(of_hardware), Amount::ONE])
}
