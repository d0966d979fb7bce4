//! What a plan is, what it must not break and what it is worth, and why some problems have none.

mod impossible;
mod plan;
mod schedule;
mod score;
mod verify;
mod violation;

pub use impossible::impossible;
pub use plan::{MpsEstimate, Plan, Retraining, TaskPlan};
pub use schedule::{Spare, earliest_start, minimal_allocations, shortest_schedule};
pub use score::{GOODPUT, ModelScore, Score};
pub use verify::{Verification, series, verify};
pub use violation::Violation;
