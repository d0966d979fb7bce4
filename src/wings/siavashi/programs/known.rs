//! The best placement so far.

use super::stage_plan::StagePlan;
use crate::instance::Problem;
use crate::rules::{Score, sense, verify, worth};
use cluster::Placement;

/// The best verified placement so far, and its worth.
pub struct Known<'p> {
    problem: &'p Problem,
    plan: &'p StagePlan,
    /// The placement.
    pub best: Option<(Placement, Score)>,
}

impl<'p> Known<'p> {
    /// None is known.
    pub fn new(problem: &'p Problem, plan: &'p StagePlan) -> Self {
        Known { problem, plan, best: None }
    }

    /// Takes a placement that is valid and better.
    pub fn offer(&mut self, placement: Placement) {
        let verdict = verify(self.problem, &placement);
        let better = |(_, known): &(Placement, Score)| self.is_better(&verdict.score, known);
        if verdict.violations.is_empty() && self.best.as_ref().is_none_or(better) {
            self.best = Some((placement, verdict.score));
        }
    }

    fn is_better(&self, score: &Score, other: &Score) -> bool {
        for &stage in self.plan.stages() {
            let (one, two) = (worth(self.problem, stage, score), worth(self.problem, stage, other));
            if one != two {
                return sense(stage).prefers(one, two);
            }
        }
        false
    }
}
