//! The best verified packing so far.

use crate::instance::Problem;
use crate::rules::{Goal, Packing, Score, Verification, verify};
use ground::Amount;
use kit::{SolveError, agrees};
use solver::Staged;

/// The best verified packing so far, and what it is worth.
pub struct Known<'p> {
    problem: &'p Problem,
    best: Option<(Packing, Score)>,
}

impl<'p> Known<'p> {
    /// Nothing is known.
    pub fn new(problem: &'p Problem) -> Self {
        Known { problem, best: None }
    }

    /// Takes a packing that is valid and better.
    pub fn offer(&mut self, packing: Packing) {
        let verdict = verify(self.problem, &packing);
        self.keep(packing, verdict);
    }

    /// Keeps a packing that the verdict on it finds valid and better.
    fn keep(&mut self, packing: Packing, verdict: Verification) {
        let values = |score: &Score| -> Vec<Amount> {
            self.problem.optimum.goals().iter().map(|&goal| score.goal(goal)).collect()
        };
        let better = |(_, known): &(Packing, Score)| values(&verdict.score) < values(known);
        if verdict.violations.is_empty() && self.best.as_ref().is_none_or(better) {
            self.best = Some((packing, verdict.score));
        }
    }

    /// Takes what a solver found, after the verifier has passed it and has found it worth what the solver claims of each goal.
    ///
    /// # Errors
    /// When the packing breaks a rule, or is not worth what the solver claims.
    pub fn accept(&mut self, packing: Packing, goals: &[Goal], staged: &Staged) -> Result<(), SolveError> {
        let verdict = verify(self.problem, &packing);
        if let Some(violation) = verdict.violations.first() {
            return Err(SolveError::Internal(format!("the solver's solution breaks a rule: {violation}")));
        }
        for (&goal, result) in goals.iter().zip(&staged.stages) {
            let Some(claimed) = result.value else { break };
            let claimed = self.problem.unit(goal) * claimed.round() as i128;
            if !agrees(result, claimed, verdict.score.goal(goal))? {
                break;
            }
        }
        self.keep(packing, verdict);
        Ok(())
    }

    /// What the servers in use cost.
    pub fn cost(&self) -> Option<Amount> {
        self.best.as_ref().map(|(_, score)| score.cost)
    }

    /// How far into the order they reach.
    pub fn reach(&self) -> Option<u64> {
        self.best.as_ref().map(|(_, score)| score.reach)
    }

    /// The packing.
    pub fn packing(&self) -> Option<&Packing> {
        self.best.as_ref().map(|(packing, _)| packing)
    }

    /// The packing with its worth.
    pub fn into_best(self) -> Option<(Packing, Score)> {
        self.best
    }
}
