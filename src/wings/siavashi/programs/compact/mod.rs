//! The program that is fast: acceptance and hardware from counts by machine, migrations from counts by bin.

mod balanced;
mod bins;
mod frame;
mod keeping;
mod kept_fills;
mod kinds;
mod lift;
mod machine_level;
mod pools;
mod prices;
mod settle;

use super::encoding::{Encoding, Preliminary};
use super::priced::{PriceTask, PricedStage, Prices};
use super::stage_plan::StagePlan;
use crate::heuristics::BestFit;
use crate::instance::Problem;
use balanced::balanced;
use bins::Bins;
use cluster::Placement;
use kept_fills::{MOST_RESIDENTS, are_few};
use kit::{Heuristic, SolveError};
use lift::lift;
use machine_level::MachineLevel;
use milp::Program;
use std::cell::OnceCell;

/// The nodes after which the machine level gives up a stage for which prices may do better.
const NODES_BEFORE_PRICES: u64 = 500;

/// The nodes after which the bins give up a stage that is theirs before it is that of prices: what takes no more is mostly done sooner
/// without these.
const NODES_BEFORE_LATE_PRICES: u64 = 100;

/// The two programs of a problem, each built when it is asked for.
pub struct Compact<'a> {
    problem: &'a Problem,
    bins: OnceCell<Bins<'a>>,
    machine_level: OnceCell<MachineLevel>,
    /// How many stages the machine level serves: the first ones, as far as they are about acceptance and hardware alone, if moves are not
    /// limited.
    stages_without_moves: usize,
    /// When stages are proved without these programs.
    prices: Prices,
}

/// Why the compact program cannot be used for a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCompact {
    /// Another start costs something, and there are too many ways of keeping residents of a GPU in their slots.
    #[error(
        "the compact program tells apart which residents of a GPU keep their slots, since `move_start` is not 0, and a GPU has more than \
         {MOST_RESIDENTS} that may move. Use the formulation `slots`"
    )]
    ManyResidents,
    /// Disruptions are limited.
    #[error(
        "the compact program does not count who leaves its slot, but `max_disrupted` limits that. Use the formulation `slots`"
    )]
    Disruptions,
}

impl<'a> Compact<'a> {
    /// The programs of a problem.
    ///
    /// # Errors
    /// When it cannot say what the problem asks.
    pub fn new(problem: &'a Problem, prices: Prices) -> Result<Self, NotCompact> {
        Self::suits(problem)?;
        // A smaller program that does not count moves could prove values that are out of reach.
        let is_exact = !problem.bounds_migrations();
        let stages_without_moves = if is_exact { StagePlan::new(problem).stages_without_moves() } else { 0 };
        let (bins, machine_level) = (OnceCell::new(), OnceCell::new());
        Ok(Compact { problem, bins, machine_level, stages_without_moves, prices })
    }

    fn bins(&self) -> &Bins<'a> {
        self.bins.get_or_init(|| Bins::new(self.problem))
    }
}

impl Compact<'_> {
    /// Whether it can say what a problem asks.
    ///
    /// # Errors
    /// Why not.
    pub fn suits(problem: &Problem) -> Result<(), NotCompact> {
        if problem.bounds_disruptions() {
            return Err(NotCompact::Disruptions);
        }
        if are_few(problem) { Ok(()) } else { Err(NotCompact::ManyResidents) }
    }
}

impl Encoding for Compact<'_> {
    fn program(&self) -> &Program {
        self.bins().program()
    }

    fn decode(&self, columns: &[f64]) -> Placement {
        self.bins().decode(columns)
    }

    fn encode(&self, placement: &Placement) -> Vec<f64> {
        self.bins().encode(placement)
    }

    fn by_prices(&self, task: &PriceTask<'_>) -> Result<Option<PricedStage>, SolveError> {
        prices::prove(task, self.prices)
    }

    fn nodes_before_prices(&self) -> Option<u64> {
        prices::are_quicker(self.problem, self.prices).then_some(NODES_BEFORE_PRICES)
    }

    fn nodes_before_late_prices(&self) -> Option<u64> {
        let come_late = prices::come_late(self.problem, self.prices);
        (come_late || prices::moves_come_late(self.problem, self.prices)).then_some(NODES_BEFORE_LATE_PRICES)
    }

    fn starts(&self) -> Vec<Placement> {
        if !prices::are_quicker(self.problem, self.prices) {
            return Vec::new();
        }
        let best_fit = BestFit.propose(self.problem, 0);
        let mut all = self.problem.cluster.workload_indices();
        let is_short = all.any(|workload| best_fit.of(workload).is_none());
        let balanced = if is_short && prices::are_many(self.problem) { balanced(self.problem) } else { None };
        [best_fit].into_iter().chain(balanced).collect()
    }

    fn preliminary(&self) -> Option<Preliminary<'_>> {
        let stages = self.stages_without_moves;
        if stages == 0 {
            return None;
        }
        let level = self.machine_level.get_or_init(|| MachineLevel::new(self.problem, stages));
        Some(Preliminary {
            program: &level.program,
            decode: Box::new(|columns| lift(self.problem, level, columns)),
        })
    }
}
