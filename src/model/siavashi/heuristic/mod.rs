//! Heuristics for the model: each only proposes a placement, the verifier decides.
//!
//! The paper's five policies take requests one after the other. They know a [`Fleet`] and nothing of an instance or a trace:
//! [`Online::begin`] gives a [`Policy`] to which [`admit`] hands requests. Adding one is a file here and a line in
//! [`POLICIES`].

mod best_fit;
mod first_fit;
mod grmu;
mod groups;
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
pub use max_expected_capability::{LookBack, MaxExpectedCapability};
pub use placements::Placements;
pub use policy::{Policy, admit};
pub use state::{Fleet, Guest, Move, Request, Supply};

use super::instance::Problem;
use crate::model::{Chosen, Heuristic, choose, choose_heuristic};

/// All policies that decide request by request.
pub const POLICIES: &[&dyn Online] =
    &[&FirstFit, &BestFit, &MaxCapability, &MaxExpectedCapability::DAY, &Grmu::PRINTED];

/// All heuristics of the model: the policies on one interval of an instance.
pub const HEURISTICS: &[&dyn Heuristic<Problem>] = &{
    let mut heuristics: [&dyn Heuristic<Problem>; POLICIES.len()] = [POLICIES[0]; POLICIES.len()];
    let mut position = 0;
    while position < POLICIES.len() {
        heuristics[position] = POLICIES[position];
        position += 1;
    }
    heuristics
};

/// The heuristic that a text names.
///
/// # Errors
/// When it names none.
pub fn heuristic_named(text: &str) -> Result<Chosen<dyn Heuristic<Problem>>, String> {
    choose_heuristic(HEURISTICS, text)
}

/// The policy that a text names, for requests that come and go.
///
/// # Errors
/// When it names none.
pub fn policy_named(text: &str) -> Result<Chosen<dyn Online>, String> {
    choose(POLICIES, text, |policy| policy, |policy, values| policy.adjusted(values))
}
