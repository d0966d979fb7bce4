//! Heuristics for the model: each only proposes a placement, the verifier decides.
//!
//! Adding one is a file here and its name in [`HEURISTICS`].

mod baseline;
mod deploy;
mod first_fit;
mod load_balanced;
mod room;
mod rule_based;
mod rules;
mod scheduled;
mod states;

pub use first_fit::FirstFit;
pub use load_balanced::LoadBalanced;
pub use rule_based::RuleBased;

use crate::instance::Problem;
use kit::Heuristic;
use scheduled::Scheduled;

/// All heuristics of the model. Each proposes a placement that is valid under the printed reading, and so under the
/// exact-index one.
pub const HEURISTICS: &[&dyn Heuristic<Problem>] =
    schedulers::with_schedulers!(Scheduled, RuleBased::PRINTED, FirstFit, LoadBalanced::DEFAULT);
