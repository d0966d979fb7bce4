//! Heuristics for the model: each only proposes a placement, the verifier decides.
//!
//! The paper's five policies take requests one after the other. They know a [`Fleet`] and nothing of an instance or a trace:
//! [`Online::begin`] gives a [`Policy`] to which [`admit`] hands requests. Adding one is a file here and a line in
//! [`HEURISTICS`].

mod best_fit;
mod first_fit;
mod grmu;
mod interval;
mod max_capability;
mod max_expected_capability;
mod placements;
mod policy;
mod state;
mod values;

pub use best_fit::BestFit;
pub use first_fit::FirstFit;
pub use grmu::{BasketComparison, Grmu};
pub use interval::Online;
pub use max_capability::MaxCapability;
pub use max_expected_capability::MaxExpectedCapability;
pub use placements::Placements;
pub use policy::{Policy, admit};
pub use state::{Candidate, Fleet, Guest, Move, Request, Supply};

use super::instance::Problem;
use crate::model::{Chosen, Heuristic, choose_heuristic};

/// All heuristics of the model.
pub const HEURISTICS: &[&dyn Heuristic<Problem>] =
    &[&FirstFit, &BestFit, &MaxCapability, &MaxExpectedCapability::ALL_REQUESTS, &Grmu::PRINTED];

/// The heuristic that a text names.
///
/// # Errors
/// When it names none.
pub fn heuristic_named(text: &str) -> Result<Chosen<Problem>, String> {
    choose_heuristic(HEURISTICS, text)
}
