//! The best verified plan so far.

use crate::instance::{Exact, Problem, double};
use crate::rules::{Plan, Score, Verification, verify};
use kit::SolveError;

/// The best verified plan so far.
pub struct Known<'p> {
    problem: &'p Problem,
    best: Option<(Plan, Verification)>,
}

impl<'p> Known<'p> {
    /// Nothing is known yet.
    pub fn new(problem: &'p Problem) -> Self {
        Known { problem, best: None }
    }

    /// Its goodput.
    pub fn goodput(&self) -> Option<Exact> {
        self.best.as_ref().map(|(_, verification)| verification.goodput)
    }

    /// The plan.
    pub fn plan(&self) -> Option<&Plan> {
        self.best.as_ref().map(|(plan, _)| plan)
    }

    /// The plan with its worth.
    pub fn into_best(self) -> Option<(Plan, Score)> {
        self.best.map(|(plan, verification)| (plan, verification.score))
    }

    /// Keeps a plan if it obeys all rules and is better; whether it obeys all rules.
    pub fn offer(&mut self, plan: Plan) -> bool {
        let verification = verify(self.problem, &plan);
        let is_valid = verification.violations.is_empty();
        if is_valid {
            self.keep(plan, verification);
        }
        is_valid
    }

    /// Keeps a plan whose goodput was computed elsewhere.
    ///
    /// # Errors
    /// When it breaks a rule, or is worth less than was computed.
    pub fn accept(&mut self, plan: Plan, claimed: Exact) -> Result<(), SolveError> {
        let verification = verify(self.problem, &plan);
        if let Some(violation) = verification.violations.first() {
            return Err(SolveError::Internal(format!("the search claims a plan in which {violation}")));
        }
        if verification.goodput < claimed {
            let text = format!(
                "the search claims a goodput of {}, the verifier finds {}",
                double(claimed),
                double(verification.goodput)
            );
            return Err(SolveError::Internal(text));
        }
        self.keep(plan, verification);
        Ok(())
    }

    /// Keeps a plan that obeys all rules if it is better.
    fn keep(&mut self, plan: Plan, verification: Verification) {
        if self.goodput().is_none_or(|goodput| verification.goodput > goodput) {
            self.best = Some((plan, verification));
        }
    }
}
