//! What the stages of a program are worth.

use super::reader::worth;
use super::stage_plan::StagePlan;
use crate::instance::Problem;
use crate::rules::Score;
use crate::section::Objective;
use ground::Amount;
use kit::{ProgramGoal, SenseName};

/// The stages of a program, with their values in a solution.
pub fn goals(problem: &Problem, plan: &StagePlan, score: Option<&Score>) -> Vec<ProgramGoal> {
    let pending = ProgramGoal {
        unit: Amount::ONE,
        value: score.map(|score| Amount::whole(i128::from(score.pending))),
        share: None,
        required: Some(Amount::ZERO),
        denominator: 1,
    };
    let is_sum_of_goals = problem.objective == Objective::Weighted && plan.stages() != [None];
    let goals = plan.stages().iter().map(|&stage| {
        let unit = stage.map_or(plan.unit_of_stage("profit"), |goal| plan.unit(goal));
        let share = stage.filter(|_| is_sum_of_goals).map(|goal| match goal.sense() {
            SenseName::Maximize => unit,
            SenseName::Minimize => Amount::ZERO - unit,
        });
        ProgramGoal {
            unit,
            value: score.map(|score| worth(stage, score)),
            share,
            required: None,
            denominator: 1,
        }
    });
    plan.begins_with_pending().then_some(pending).into_iter().chain(goals).collect()
}
