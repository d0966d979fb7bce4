//! What every way of writing the problem as a program has in common.

use crate::instance::{ServerIndex, VmIndex};
use crate::rules::Packing;
use milp::Program;

/// A program for a problem, with the way from columns to packings and back.
pub trait Encoding {
    /// The program, with a stage for each goal of the problem.
    fn program(&self) -> &Program;

    /// The packing that integer-feasible columns stand for.
    fn decode(&self, columns: &[f64]) -> Packing;

    /// Columns that stand for a packing of all virtual machines, to start a solver from.
    fn encode(&self, packing: &Packing) -> Vec<f64>;

    /// The column that is 1 where a server hosts a virtual machine; none for a server that the program leaves out.
    fn hosted(&self, vm: VmIndex, server: ServerIndex) -> Option<usize>;
}
