//! A formulation as a value.

use super::encoding::Encoding;
use super::known::Known;
use super::proof::{Proof, Task};
use crate::instance::Problem;
use kit::SolveError;

/// A formulation: a program of the whole problem, and a way to a proof, which may do without.
pub struct Way {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) build: for<'p> fn(&'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError>,
    pub(super) prove: fn(&Task<'_>, &mut Known<'_>) -> Result<Proof, SolveError>,
}

impl Way {
    /// Builds the program, with the way from columns to packings and back.
    ///
    /// # Errors
    /// When it is too large for the problem.
    pub fn build<'p>(&self, problem: &'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError> {
        (self.build)(problem)
    }

    /// Looks for the best packing and its proof. Better packings than the known one are offered to it.
    ///
    /// # Errors
    /// When the program is too large, the solver fails, or its answer does not pass the verifier.
    pub(super) fn prove(&self, task: &Task<'_>, known: &mut Known<'_>) -> Result<Proof, SolveError> {
        (self.prove)(task, known)
    }
}
