//! Heuristics for the model: each only proposes a placement, the verifier decides.
//!
//! Adding one is a file here and a line in [`HEURISTICS`].

mod baseline;
mod deploy;
mod first_fit;
mod load_balanced;
mod room;
mod rule_based;

pub use first_fit::FirstFit;
pub use load_balanced::LoadBalanced;
pub use rule_based::RuleBased;

use super::instance::Problem;
use crate::cluster::Placement;

/// A way to propose a placement without proof.
pub trait Heuristic: Sync {
    /// Unique kebab-case name, as flags take it.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Where it comes from.
    fn reference(&self) -> &'static str;

    /// Proposes a placement that is valid under the printed reading, and so under the exact-index one.
    fn propose(&self, problem: &Problem, seed: u64) -> Placement;
}

/// All heuristics of the model.
pub const HEURISTICS: &[&dyn Heuristic] = &[&RuleBased, &FirstFit, &LoadBalanced];

/// The heuristic with the given name.
pub fn heuristic_named(name: &str) -> Option<&'static dyn Heuristic> {
    HEURISTICS.iter().copied().find(|heuristic| heuristic.name() == name)
}
