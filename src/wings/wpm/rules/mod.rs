//! What a solution is, and whether it obeys the rules.

mod changes;
mod impossible;
mod repartitions;
mod score;
mod solution;
mod verify;
mod violation;

pub use changes::Changes;
pub use impossible::{rules_in_force, why_none};
pub use score::Score;
pub use solution::{Reading, Solution, reading_for};
pub use verify::{Verification, verify, wasted_slices};
pub use violation::Violation;
