//! Heuristics for the model: each only proposes a plan, the verifier decides.
//!
//! Adding one is a file here and a line in [`HEURISTICS`].

use super::instance::Problem;
use super::plan::Plan;
use crate::model::{Chosen, Heuristic, choose_heuristic};

/// All heuristics of the model.
pub const HEURISTICS: &[&dyn Heuristic<Problem, Plan>] = &[];

/// The heuristic that a text names.
///
/// # Errors
/// When it names none.
pub fn heuristic_named(text: &str) -> Result<Chosen<dyn Heuristic<Problem, Plan>>, String> {
    choose_heuristic(HEURISTICS, text)
}
