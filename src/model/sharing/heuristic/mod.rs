//! Heuristics for the model: each only proposes a packing, the verifier decides.
//!
//! Adding one is a file here and a line in [`HEURISTICS`].

mod offline;
mod online;
mod order;
mod rule;
mod scarcity;
mod state;

pub use offline::{Offline, OfflineOptions, pack_offline};
pub use online::Online;
pub use order::Order;
pub use rule::{Rule, Scan};
pub use scarcity::{Operator, PageUnit};

use super::instance::Problem;
use super::packing::Packing;
use crate::model::{Chosen, Heuristic, choose_heuristic};

/// All heuristics of the model.
pub const HEURISTICS: &[&dyn Heuristic<Problem, Packing>] = &[
    &Online::printed(Rule::Next, false),
    &Online::printed(Rule::First, false),
    &Online::printed(Rule::Best, false),
    &Online::printed(Rule::Worst, false),
    &Online::printed(Rule::Next, true),
    &Online::printed(Rule::First, true),
    &Online::printed(Rule::Best, true),
    &Online::printed(Rule::Worst, true),
    &Offline::USUAL,
];

/// The heuristic that a text names.
///
/// # Errors
/// When it names none.
pub fn heuristic_named(text: &str) -> Result<Chosen<dyn Heuristic<Problem, Packing>>, String> {
    choose_heuristic(HEURISTICS, text)
}
