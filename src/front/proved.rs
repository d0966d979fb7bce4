//! What is proved.

use super::failure::Unsolved;
use kit::{MetricValues, ResultDocument, Score, SolutionDocument, StageDocument, Status};
use std::ops::Deref;

/// A solution that is proved optimal: it passed the independent verifier, and its value meets the bound in every objective.
///
/// Only [`solve`](super::solve) makes one, so that a function that takes a `Proved<Solution>` need not ask.
#[derive(Clone, Debug)]
pub struct Proved<T> {
    value: T,
    result: ResultDocument,
}

impl Proved<SolutionDocument> {
    /// The solution of a result, if that is a proof.
    pub(super) fn of(result: ResultDocument) -> Result<Self, Unsolved> {
        match (result.status, &result.solution) {
            (Status::Optimal, Some(solution)) => Ok(Proved { value: solution.clone(), result }),
            (Status::Infeasible, _) => Err(Unsolved::Infeasible(Box::new(result))),
            _ => Err(Unsolved::Open(Box::new(result))),
        }
    }
}

impl<T> Proved<T> {
    /// What is proved.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The objectives in order, each with its value and the bound that equals it.
    pub fn stages(&self) -> &[StageDocument] {
        &self.result.stages
    }

    /// What the solution is worth, as the verifier counts it.
    pub fn score(&self) -> &Score {
        self.result.score.as_ref().expect("a verified solution has a score")
    }

    /// The solution in numbers, by the names that `migopt list metrics` defines.
    pub fn metrics(&self) -> &MetricValues {
        self.result.metrics.as_ref().expect("a verified solution has metrics")
    }

    /// The whole answer, as `migopt solve` writes it.
    pub fn result(&self) -> &ResultDocument {
        &self.result
    }
}

impl<T> Deref for Proved<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
