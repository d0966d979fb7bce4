//! What every way of writing the problem as a program has in common.

use super::priced::{PriceTask, PricedStage};
use cluster::Placement;
use kit::SolveError;
use milp::Program;

/// A problem written as a program, with the way from columns to placements and back.
pub trait Encoding {
    /// The program, with a stage for each stage of the problem's [plan](super::StagePlan).
    fn program(&self) -> &Program;

    /// The placement that integer-feasible columns stand for, start slots included.
    fn decode(&self, columns: &[f64]) -> Placement;

    /// Columns that stand for a valid placement that is worth no less, to start a solver from.
    fn encode(&self, placement: &Placement) -> Vec<f64>;

    /// What prices say about a stage, without the program; none where they do not suit it.
    ///
    /// # Errors
    /// When the solver fails.
    fn by_prices(&self, _: &PriceTask<'_>) -> Result<Option<PricedStage>, SolveError> {
        Ok(None)
    }

    /// The nodes after which the smaller program gives up a stage for which prices may do better.
    fn nodes_before_prices(&self) -> Option<u64> {
        None
    }

    /// The nodes after which the whole program gives up a stage for which prices may do better, where it comes first.
    fn nodes_before_late_prices(&self) -> Option<u64> {
        None
    }

    /// Placements that are good to begin with, perhaps.
    fn starts(&self) -> Vec<Placement> {
        Vec::new()
    }

    /// A smaller program whose stages are the first stages of the whole and have the same optima, if there is one.
    fn preliminary(&self) -> Option<Preliminary<'_>> {
        None
    }
}

/// From the integer-feasible columns of a program to the placement that they stand for.
pub type Decoder<'f> = Box<dyn Fn(&[f64]) -> Placement + 'f>;

/// A smaller program for the first stages.
pub struct Preliminary<'f> {
    /// The program.
    pub program: &'f Program,
    /// From its integer-feasible columns to a placement of the same worth in its stages.
    pub decode: Decoder<'f>,
}
