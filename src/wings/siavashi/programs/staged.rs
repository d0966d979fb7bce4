//! A formulation as a value.

use super::encoding::Encoding;
use crate::instance::Problem;
use kit::SolveError;

/// Builds a program for a problem.
pub type Build = for<'p> fn(&'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError>;

/// A formulation: its program is solved stage by stage, the first stages perhaps by a smaller one.
pub struct Staged {
    /// Unique name.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    pub(super) build: Build,
}

impl Staged {
    /// Builds the program, with the way from columns to placements and back.
    ///
    /// # Errors
    /// When the formulation cannot say what the problem asks.
    pub fn build<'p>(&self, problem: &'p Problem) -> Result<Box<dyn Encoding + 'p>, SolveError> {
        (self.build)(problem)
    }
}
