//! Certificates of model siavashi: prices of workloads, multipliers of goals and totals, and for every kind of machines by itself the most
//! that one machine can be worth at these.
//!
//! The theorem, with its proof, is in section *Certificate* of `models/siavashi.md`.

mod best;
mod check;
mod counted;
mod explain;
mod kinds;
mod machine;
mod question;
mod reliefs;
mod rooms;
mod search;
mod table;
mod totals;
mod worths;

pub use check::Checker;
pub use machine::Held;
pub use question::{Changes, Machine, Question, Stage, Term};
pub use search::Effort;
pub use totals::Total;
pub use worths::Worths;

use super::size::{SHARED_LINES, lines};

/// Lines of this checker, with what it shares with others.
pub const LINES: usize = SHARED_LINES
    + lines(include_str!("best.rs"))
    + lines(include_str!("check.rs"))
    + lines(include_str!("counted.rs"))
    + lines(include_str!("kinds.rs"))
    + lines(include_str!("machine.rs"))
    + lines(include_str!("question.rs"))
    + lines(include_str!("reliefs.rs"))
    + lines(include_str!("rooms.rs"))
    + lines(include_str!("search.rs"))
    + lines(include_str!("table.rs"))
    + lines(include_str!("totals.rs"))
    + lines(include_str!("worths.rs"));
