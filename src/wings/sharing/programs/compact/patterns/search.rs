//! How patterns are searched for.

use solver::{Control, Settings, Solver};
use std::time::Instant;

/// How to search.
pub struct Search<'s> {
    /// The solver.
    pub solver: &'s dyn Solver,
    /// Its settings.
    pub settings: &'s Settings,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Interruption.
    pub control: &'s Control,
}
