//! Heuristics for the model: each only proposes a placement, the verifier decides.
//!
//! Adding one is a file here and a line in [`HEURISTICS`].

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
use schedulers::{Dra, Fgd, Hami, Instaslice, Kai, LeastGrowth, Nos, SafeFit, SpreadThenPack};

/// All heuristics of the model. Each proposes a placement that is valid under the printed reading, and so under the
/// exact-index one.
pub const HEURISTICS: &[&dyn Heuristic<Problem>] = &[
    &RuleBased,
    &FirstFit,
    &LoadBalanced,
    &Scheduled(Dra::DEFAULT),
    &Scheduled(Instaslice::DEFAULT),
    &Scheduled(Hami::DEFAULT),
    &Scheduled(Nos::DEFAULT),
    &Scheduled(Kai::DEFAULT),
    &Scheduled(Fgd::DEFAULT),
    &Scheduled(LeastGrowth),
    &Scheduled(SpreadThenPack::DEFAULT),
    &Scheduled(SafeFit::FIRST),
    &Scheduled(SafeFit::BEST),
];
