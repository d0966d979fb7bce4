//! Stages that are proved by prices instead of a program.

use crate::instance::Problem;
use crate::rules::Score;
use crate::section::Goal;
use cluster::Placement;
use milp::StopReason;
use prices::Counters;
use solver::{Control, Effort, StageResult};
use std::time::Instant;

/// When stages are proved by prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prices {
    /// Wherever they can be.
    Always,
    /// Wherever they can be, and machines short of cores or memory are told apart as if there were too many fills to tell all apart.
    AlwaysByTightMachines,
    /// Where that is likely to be quicker.
    Suitable,
    /// Never.
    Never,
}

impl Prices {
    /// Whether they come first even where programs are quicker.
    pub fn are_forced(self) -> bool {
        matches!(self, Prices::Always | Prices::AlwaysByTightMachines)
    }
}

/// A stage to be proved, once those before it are.
pub struct PriceTask<'t> {
    /// The problem.
    pub problem: &'t Problem,
    /// What it is about; nothing for the weighted sum.
    pub goal: Option<Goal>,
    /// Whether a program has given up on it.
    pub is_given_up: bool,
    /// Other goals, with the worst value that each may have, in units: the values proved of the stages before, and a limit.
    pub kept: &'t [(Goal, i64)],
    /// The best placement known, which keeps them.
    pub known: Option<&'t (Placement, Score)>,
    /// Who solves programs, and how hard.
    pub effort: &'t Effort,
    /// When the time limit began.
    pub began: Instant,
    /// Who interrupts.
    pub control: &'t Control,
}

impl PriceTask<'_> {
    /// Whether moves are limited.
    pub fn keeps_moves(&self) -> bool {
        self.kept.iter().any(|&(goal, _)| goal == Goal::Migrations)
    }
}

/// What prices say about a stage.
pub struct PricedStage {
    /// Value, bound and whether they are proved, in units of the stage.
    pub result: StageResult,
    /// A placement of this value, if a better one than the known was found.
    pub placement: Option<Placement>,
    /// Why the search ended; [`StopReason::NodeLimit`] where the prices did not suffice in their share of the time, and
    /// [`StopReason::Infeasible`] where no placement keeps the values of other goals.
    pub stop: StopReason,
    /// Whose prices.
    pub parts: Parts,
    /// What it took.
    pub counters: Counters,
}

/// Which parts of a problem prices ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Whole machines.
    Machines,
    /// Single GPUs, and the machines that have them, without cores and memory.
    Gpus,
}

impl Parts {
    /// As notes have it.
    pub fn name(self) -> &'static str {
        match self {
            Parts::Machines => "machines",
            Parts::Gpus => "GPUs",
        }
    }
}

/// What prices did about a stage.
#[derive(Clone, Copy, Debug)]
pub struct ByPrices {
    /// The stage.
    pub stage: &'static str,
    /// What came of it.
    pub end: End,
    /// Whose prices.
    pub parts: Parts,
    /// What it took.
    pub counters: Counters,
}

/// What came of a stage of which prices had a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// They proved it.
    Proved,
    /// Their bound was left to a program.
    LeftToProgram,
    /// No time was left for a program.
    OutOfTime,
}
