//! A part of the search.

use super::pricing::Proved;
use super::total::Bounds;

/// A part of the search: solutions whose totals are within narrower bounds.
pub struct Node {
    /// The bounds.
    pub bounds: Bounds,
    /// No solution of the part costs less.
    pub target: i64,
    /// What prices prove.
    pub proved: Proved,
    /// The totals in the linear program of the contents met so far, where it has a solution.
    pub activities: Option<Vec<f64>>,
    /// The target for which the contents met so far have been tried.
    pub tried: Option<i64>,
}

/// How far from a whole number a total counts as fractional.
const FRACTIONALITY: f64 = 1e-4;

impl Node {
    /// The first total of some that is fractional, and its value.
    pub fn fractional(&self, totals: impl Iterator<Item = usize>) -> Option<(usize, f64)> {
        let activities = self.activities.as_ref()?;
        let mut values = totals.map(|total| (total, activities[total]));
        values.find(|(_, value)| (value - value.round()).abs() > FRACTIONALITY)
    }
}
