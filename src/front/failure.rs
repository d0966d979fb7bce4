//! Why there is no proved optimum, or no score.

use ground::InputError;
use itertools::Itertools;
use kit::RefusedOverride;
use kit::{ResultDocument, SolveError, ViolationDocument};

/// Why [`solve`](super::solve) has no proved optimum.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unsolved {
    /// The instance or the options break a rule; the message names the place, the rule and the fix.
    #[error("{0}")]
    BadInput(String),
    /// It is proved that no solution obeys all rules; the result says why.
    #[error("{}: no solution obeys all rules: {}", .0.instance, .0.reason.as_deref().unwrap_or("proved by the solver"))]
    Infeasible(Box<ResultDocument>),
    /// A limit came before the proof; the result holds the best verified solution, where there is one, and its bounds.
    #[error("{}: not proved: {}", .0.instance, open(.0))]
    Open(Box<ResultDocument>),
    /// Solver and verifier disagree, or the solver failed: a fault of migopt or of the solver, not of the input.
    #[error("{0}")]
    Internal(String),
}

/// How far a result without proof came.
fn open(result: &ResultDocument) -> String {
    match (&result.solution, result.gap) {
        (None, _) => "no solution was found before the limit".to_owned(),
        (Some(_), Some(gap)) => format!("the best solution is within a gap of {gap} of the bound"),
        (Some(_), None) => "the best solution has no bound".to_owned(),
    }
}

impl From<InputError> for Unsolved {
    fn from(error: InputError) -> Self {
        Unsolved::BadInput(error.paragraphs())
    }
}

impl From<RefusedOverride> for Unsolved {
    fn from(error: RefusedOverride) -> Self {
        Unsolved::BadInput(format!("`{}`: {error}", error.field))
    }
}

impl From<SolveError> for Unsolved {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Input(error) => error.into(),
            SolveError::Refused(text) => Unsolved::BadInput(format!("{text}.")),
            SolveError::Internal(text) => Unsolved::Internal(text),
        }
    }
}

/// Why a solution has no score, or no gap.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unscored {
    /// The instance breaks a rule, or the solution does not speak of it.
    #[error("{0}")]
    BadInput(#[from] InputError),
    /// The solution breaks these rules.
    #[error("the solution breaks {}: {}", ground::counted(.0.len(), "rule"), .0.iter().map(|broken| format!("{}: {}", broken.rule, broken.message)).join("; "))]
    Broken(Vec<ViolationDocument>),
    /// There is no proved optimum to compare with.
    #[error("{0}")]
    Unsolved(#[from] Unsolved),
}
