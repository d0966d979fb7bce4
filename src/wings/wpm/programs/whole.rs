//! A formulation as a value.

use super::encoding::Encoding;
use crate::instance::Problem;
use kit::SolveError;

/// Builds a program for a problem.
type Build = for<'p> fn(&'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError>;

/// A formulation: its program is built and solved as a whole.
pub struct Whole {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) build: Build,
}

impl Whole {
    /// Builds the program, with the way from columns to solutions and back.
    ///
    /// # Errors
    /// When the weights are too fine, or the program is not exact on a board.
    pub fn build<'p>(&self, problem: &'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError> {
        (self.build)(problem)
    }
}
