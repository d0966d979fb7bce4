//! Certificates of model migrator: prices of what tasks have in each slot, for every model by itself the longest path at these prices, and
//! a sweep through what they leave open.
//!
//! The theorem, with its proof, is in section *Certificate* of `models/migrator.md`.

mod allocations;
mod bound;
mod check;
mod explain;
mod fits;
mod paths;
mod prices;
mod question;
mod schedule;
mod starts;
mod sweep;
mod task;

pub use check::Checker;
pub use prices::{allocation_name, retraining_name};
pub use question::{Deployment, Model, Question, Reconfiguration, Signature, Size};
pub use starts::{Measure, Start, Total};

use super::size::{SHARED_LINES, lines};

/// Lines of this checker, with what it shares with others.
pub const LINES: usize = SHARED_LINES
    + lines(include_str!("allocations.rs"))
    + lines(include_str!("bound.rs"))
    + lines(include_str!("check.rs"))
    + lines(include_str!("fits.rs"))
    + lines(include_str!("paths.rs"))
    + lines(include_str!("prices.rs"))
    + lines(include_str!("question.rs"))
    + lines(include_str!("schedule.rs"))
    + lines(include_str!("starts.rs"))
    + lines(include_str!("sweep.rs"))
    + lines(include_str!("task.rs"));
