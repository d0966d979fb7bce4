//! Random small windows of model migrator with two solvers of their own: a dynamic program and trying everything.
//!
//! Nothing here uses the arithmetic of the crate: what fits is found by placing instances on start slots, and goodput is
//! counted in whole units of [`UNITS`] in a request.

mod board;
mod case;
mod dynamic;
mod exhaustive;
mod plans;
mod section;
mod simulation;

pub use board::{A30, A100, BOARDS};
pub use case::{Case, Family};
pub use dynamic::{best, steps};
pub use exhaustive::best_by_trying_all;
pub use plans::{random_proposal, to_plan};
pub use simulation::{Run, UNITS, goodput};

use crate::instances;
use migrator::Problem;

/// Instances by size, in ascending order of the size.
pub type Counts = Vec<u8>;

/// The problem that a text poses.
pub fn problem(text: impl Into<String>) -> Problem {
    instances::problem::<migrator::Migrator>(text)
}
