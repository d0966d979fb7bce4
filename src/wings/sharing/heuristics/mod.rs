//! Heuristics for the model: each only proposes a packing, the verifier decides.
//!
//! Adding one is a file here and a line in [`HEURISTICS`].

mod offline;
mod online;
mod state;

pub use offline::{Offline, OfflineOptions, pack_offline};
pub use online::{Fit, Online, Operator, Order, PageUnit, Scan};

use crate::instance::Problem;
use crate::rules::Packing;
use kit::Heuristic;

/// All heuristics of the model.
pub const HEURISTICS: &[&dyn Heuristic<Problem, Packing>] = &[
    &Online::printed(Fit::Next, false),
    &Online::printed(Fit::First, false),
    &Online::printed(Fit::Best, false),
    &Online::printed(Fit::Worst, false),
    &Online::printed(Fit::Next, true),
    &Online::printed(Fit::First, true),
    &Online::printed(Fit::Best, true),
    &Online::printed(Fit::Worst, true),
    &Offline::USUAL,
];
