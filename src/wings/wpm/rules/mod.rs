//! What a solution is, and whether it obeys the rules.

mod solution;
mod verify;

pub use solution::{Reading, Solution, reading_for};
pub use verify::{Score, Verification, Violation, verify};
