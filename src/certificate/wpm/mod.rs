//! Certificates of model wpm: prices of pools of workloads, multipliers of goals and totals, and for every GPU by itself the best it
//! can do at these prices.
//!
//! The theorem, with its proof, is in section *Certificate* of `models/wpm.md`.

mod check;
mod explain;
mod kinds;
mod layouts;
mod part;
mod pools;
mod question;
mod totals;
mod worths;

pub use check::Checker;
pub use explain::Outcome;
pub use question::{BoardCosts, Question, Reading, Stage, Term};
pub use totals::Total;

use super::size::{SHARED_LINES, lines};

/// Lines of this checker, with what it shares with others.
pub const LINES: usize = SHARED_LINES
    + lines(include_str!("check.rs"))
    + lines(include_str!("kinds.rs"))
    + lines(include_str!("layouts.rs"))
    + lines(include_str!("part.rs"))
    + lines(include_str!("pools.rs"))
    + lines(include_str!("question.rs"))
    + lines(include_str!("totals.rs"))
    + lines(include_str!("worths.rs"));
