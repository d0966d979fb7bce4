//! What a placement must obey and what it is worth.

mod changes;
mod infeasible;
mod score;
mod stages;
mod verify;
mod violation;

pub use changes::{leaves_gpu, leaves_slot};
pub use infeasible::why_infeasible;
pub use score::Score;
pub use stages::{WEIGHTED, asked_stages, sense, stage_name, values, worth};
pub use verify::{Verification, verify};
pub use violation::Violation;
