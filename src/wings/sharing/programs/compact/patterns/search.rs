//! How patterns are searched for.

use solver::{Control, Solver};
use std::time::Instant;

/// How to search.
pub struct Search<'s> {
    /// The solver.
    pub solver: &'s dyn Solver,
    /// Its threads.
    pub threads: u32,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Interruption.
    pub control: &'s Control,
}
