//! Heuristics for the model: each only proposes a plan, the verifier decides.
//!
//! Adding one is a file here and a line in [`HEURISTICS`].

mod astraea;
mod current;
mod ekya;
mod fixed;
mod forecast;
mod intensity;
mod joint;
mod mps;
mod paris;
mod retrainings;
mod segment;
mod static_best;
mod stepwise;
mod worth;

pub use astraea::Astraea;
pub use ekya::Ekya;
pub use forecast::Forecast;
pub use paris::Paris;
pub use static_best::StaticBest;
pub use stepwise::{Greedy, Hysteresis, Sight};

use crate::instance::Problem;
use crate::rules::Plan;
use kit::{Chosen, Heuristic, choose_heuristic};

/// All heuristics of the model.
pub const HEURISTICS: &[&dyn Heuristic<Problem, Plan>] =
    &[&StaticBest, &Paris, &Ekya::USUAL, &Astraea::USUAL, &Greedy, &Hysteresis::USUAL];

/// The heuristic that a text names.
///
/// # Errors
/// When it names none.
pub fn heuristic_named(text: &str) -> Result<Chosen<dyn Heuristic<Problem, Plan>>, String> {
    choose_heuristic(HEURISTICS, text)
}
