//! What a placement must obey and what it is worth.

mod score;
mod stages;
mod verify;
mod violation;

pub use score::Score;
pub use stages::{WEIGHTED, asked_stages, sense, stage_name, values, worth};
pub use verify::{Verification, verify};
pub use violation::Violation;
