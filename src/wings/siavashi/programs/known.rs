//! The best placement so far.

use super::stage_plan::StagePlan;
use crate::instance::Problem;
use crate::rules::{Score, sense, verify, worth};
use crate::section::Goal;
use cluster::Placement;
use kit::SenseName;

/// The worst value that a goal may have, in its units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The goal.
    pub goal: Goal,
    /// The value.
    pub value: i64,
}

impl Limit {
    fn allows(&self, problem: &Problem, score: &Score) -> bool {
        let value = problem.extent.in_units(self.goal, score.goal(self.goal));
        match self.goal.sense() {
            SenseName::Maximize => value >= i128::from(self.value),
            SenseName::Minimize => value <= i128::from(self.value),
        }
    }
}

/// The best verified placement so far, and its worth.
pub struct Known<'p> {
    problem: &'p Problem,
    plan: &'p StagePlan,
    limit: Option<Limit>,
    /// The placement.
    pub best: Option<(Placement, Score)>,
}

impl<'p> Known<'p> {
    /// None is known, of those that keep a limit.
    pub fn new(problem: &'p Problem, plan: &'p StagePlan, limit: Option<Limit>) -> Self {
        Known { problem, plan, limit, best: None }
    }

    /// Takes a placement that is valid, keeps the limit and is better.
    pub fn offer(&mut self, placement: Placement) {
        let verdict = verify(self.problem, &placement);
        let better = |(_, known): &(Placement, Score)| self.is_better(&verdict.score, known);
        let keeps_limit = self.limit.is_none_or(|limit| limit.allows(self.problem, &verdict.score));
        if verdict.violations.is_empty() && keeps_limit && self.best.as_ref().is_none_or(better) {
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
