//! How patterns are searched for.

use solver::{Control, Settings, Solver};
use std::time::Instant;

/// How to search.
pub struct Search<'s> {
    /// The solver.
    pub solver: &'s dyn Solver,
    /// Its settings.
    pub settings: &'s Settings,
    /// The relative gap at which to stop.
    pub relative_gap: f64,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Interruption.
    pub control: &'s Control,
}
