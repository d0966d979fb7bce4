//! Why there is no proof.

use super::check::Refusal;
use super::limits::{MOST_DEPTH, MOST_LEAVES};
use solver::Solver;

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// The tree is too large.
    #[error("it takes a tree of more than {MOST_LEAVES} leaves")]
    Leaves,
    /// The tree is too deep.
    #[error("it takes a tree of more than {MOST_DEPTH} splits in a row")]
    Depth,
    /// The deadline passed.
    #[error("the time limit was reached")]
    Time,
    /// The user interrupted.
    #[error("it was interrupted")]
    Interrupted,
    /// Whole multipliers do not refute a box of which the solver says that nothing better is in it.
    #[error("the solver's dual values, made whole, leave a case open that has no column left to be split")]
    Open,
    /// The claim is wrong.
    #[error(
        "a better point was found, so that the answer is wrong. This is a bug in migopt; please report it"
    )]
    Better,
    /// The solver is of no use.
    #[error("{0}")]
    Solver(String),
    /// What was found is no proof.
    #[error("the checker refuses it: {0}. This is a bug in migopt; please report it")]
    Refused(Refusal),
}

impl Unproved {
    pub(crate) fn without_duals(solver: &dyn Solver) -> Self {
        Unproved::Solver(format!("solver {} gives no dual values; use another one", solver.name()))
    }
}
