//! Between what placements are worth and what they cost.

use crate::instance::Problem;
use crate::rules::{Score, sense, worth};
use crate::section::Goal;
use kit::SenseName;

/// Between costs and values of a stage.
pub struct Costs<'p> {
    /// The problem.
    pub problem: &'p Problem,
    /// What the stage is about; nothing for the weighted sum.
    pub goal: Option<Goal>,
    /// The worth of what is pinned, which costs leave out.
    pub offset: i128,
}

impl Costs<'_> {
    /// What a placement costs.
    pub fn of(&self, score: &Score) -> Option<i64> {
        let worth = worth(self.problem, self.goal, score);
        let units = match self.goal {
            Some(goal) => self.problem.extent.in_units(goal, worth),
            None => worth.in_units_of(self.problem.weighted_sum()?.unit())?,
        };
        self.of_units(units)
    }

    /// More than any placement costs, where a single goal counts.
    pub fn above_all(&self) -> Option<i64> {
        let extent = &self.problem.extent;
        let worst = match sense(self.goal) {
            SenseName::Maximize => 0,
            SenseName::Minimize => extent.in_units(self.goal?, extent.most[self.goal? as usize]),
        };
        self.of_units(worst)?.checked_add(1)
    }

    fn of_units(&self, units: i128) -> Option<i64> {
        let cost = match sense(self.goal) {
            SenseName::Maximize => self.offset - units,
            SenseName::Minimize => units,
        };
        i64::try_from(cost).ok()
    }

    /// The value of a cost, in units of the stage.
    pub fn value(&self, cost: i64) -> f64 {
        match sense(self.goal) {
            SenseName::Maximize => (self.offset - i128::from(cost)) as f64,
            SenseName::Minimize => cost as f64,
        }
    }

    /// The same of a bound, which may lie beyond the best value that a single goal can take.
    pub fn bound(&self, cost: i64) -> f64 {
        let extent = &self.problem.extent;
        let best = self.goal.and_then(|goal| self.of_units(extent.in_units(goal, extent.best(goal))));
        self.value(best.map_or(cost, |best| best.max(cost)))
    }
}
