//! What every way of writing the problem as a program has in common.

use super::packing::Packing;
use crate::milp::Program;

/// A program for a problem, with the way from columns to packings and back.
pub trait Formulation {
    /// The program, with a stage for each goal of the problem.
    fn program(&self) -> &Program;

    /// The packing that integer-feasible columns stand for.
    fn decode(&self, columns: &[f64]) -> Packing;

    /// Columns that stand for a packing of all virtual machines, to start a solver from.
    fn encode(&self, packing: &Packing) -> Vec<f64>;
}
