//! How to search.

use crate::objective::Objective;
use solver::Effort;
use std::time::Instant;

/// How to search.
#[derive(Clone)]
pub struct Options {
    /// What to minimise, the most important first.
    pub order: Vec<Objective>,
    /// The solver and its limits.
    pub effort: Effort,
}

impl Options {
    /// The same for what is left of the time, of work that began at a moment.
    #[must_use]
    pub fn since(&self, began: Instant) -> Self {
        let left = self.effort.time_left(began);
        Options { order: self.order.clone(), effort: self.effort.clone().within(left) }
    }
}
