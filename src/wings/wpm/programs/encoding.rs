//! What every way of writing the problem as a program has in common.

use super::stage_plan::StagePlan;
use crate::rules::{Reading, Solution};
use milp::Program;

/// A program for a problem, with the way from columns to solutions and back.
pub trait Encoding {
    /// The program.
    fn program(&self) -> &Program;

    /// How its stages express the objective.
    fn plan(&self) -> &StagePlan;

    /// The rules under which its solutions are to be judged.
    fn reading(&self) -> Reading;

    /// The solution that integer-feasible columns stand for, start slots included.
    fn decode(&self, columns: &[f64]) -> Solution;

    /// Columns that stand for a valid solution, to start a solver from; `None` when the program leaves such solutions
    /// out because a better one always exists.
    fn encode(&self, solution: &Solution) -> Option<Vec<f64>>;

    /// Columns that are continuous although solutions need whole numbers in them: once the integer columns are fixed
    /// they form a network, whose vertices are whole. Empty when there are none.
    fn network_columns(&self) -> &[usize] {
        &[]
    }
}
