//! Heuristics for the model: each only proposes a placement, the verifier decides.
//!
//! All take requests one after the other: the paper's five policies, and the schedulers that people run. They know a [`Fleet`](fleet::Fleet) and nothing of an instance or a
//! trace: [`Online::begin`] gives a [`Policy`](fleet::Policy) to which [`admit`](fleet::admit) hands requests. Adding one is a file
//! here and a line in [`POLICIES`], or one in [`SCHEDULERS`].

mod best_fit;
mod first_fit;
mod grmu;
mod interval;
mod max_capability;
mod max_expected_capability;
mod scheduled;

pub use best_fit::BestFit;
pub use first_fit::FirstFit;
pub use grmu::{BasketComparison, Grmu};
pub use interval::Online;
pub use max_capability::MaxCapability;
pub use max_expected_capability::{LookBack, MaxExpectedCapability};
pub use scheduled::SCHEDULERS;

use crate::instance::Problem;
use kit::{Chosen, Heuristic, choose};

/// The paper's policies.
pub const POLICIES: &[&dyn Online] =
    &[&FirstFit, &BestFit, &MaxCapability, &MaxExpectedCapability::DAY, &Grmu::PRINTED];

/// All policies that decide request by request: the paper's, then the schedulers.
pub fn policies() -> Vec<&'static dyn Online> {
    POLICIES.iter().chain(SCHEDULERS).copied().collect()
}

/// All heuristics of the model: the policies on one interval of an instance.
pub fn heuristics() -> Vec<&'static dyn Heuristic<Problem>> {
    policies().into_iter().map(|policy| policy as &dyn Heuristic<Problem>).collect()
}

/// The policy that a text names, for requests that come and go.
///
/// # Errors
/// When it names none.
pub fn policy_named(text: &str) -> Result<Chosen<dyn Online>, String> {
    choose(&policies(), text, |policy| policy, |policy, values| policy.adjusted(values))
}
