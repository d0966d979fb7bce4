//! What is to be proved, and what was.

use crate::instance::Problem;
use ground::Amount;
use kit::SolveOptions;
use milp::{StopReason, Work};
use solver::Control;
use std::time::Instant;

/// A problem that is being solved.
pub struct Task<'t> {
    /// The problem.
    pub problem: &'t Problem,
    /// How to solve it.
    pub options: &'t SolveOptions,
    /// Progress, in the amounts of the goals, and interruption.
    pub control: &'t Control,
    /// When work on it began.
    pub began: Instant,
}

/// What is proved about the goals.
pub struct Proof {
    /// By goal what no packing is better than, given the goals before; `None` for one that was not reached.
    pub bounds: Vec<Option<Amount>>,
    /// [`StopReason::Proved`], or why the search ended before.
    pub stop: StopReason,
    /// The effort.
    pub work: Work,
    /// Seconds until the program of the whole problem was built; 0 where no such program is needed.
    pub build_seconds: f64,
}
