//! What the question asks for, and what a placement is worth in it.
//!
//! A stage is a goal, or nothing for the weighted sum of all.

use super::score::Score;
use crate::instance::Problem;
use crate::section::{Goal, Objective};
use ground::Amount;
use kit::{SenseName, StageDocument};

/// Name of the stage of the weighted sum.
pub const WEIGHTED: &str = "weighted";

/// The stages that are asked for: one for the weighted sum.
pub fn asked_stages(problem: &Problem) -> Vec<Option<Goal>> {
    match &problem.objective {
        Objective::Weighted(_) => vec![None],
        Objective::Lexicographic(goals) => goals.iter().copied().map(Some).collect(),
    }
}

/// A stage's direction.
pub fn sense(stage: Option<Goal>) -> SenseName {
    stage.map_or(SenseName::Maximize, Goal::sense)
}

/// A stage's name in answers.
pub fn stage_name(stage: Option<Goal>) -> &'static str {
    stage.map_or(WEIGHTED, Goal::name)
}

/// What a placement is worth in a stage.
pub fn worth(problem: &Problem, stage: Option<Goal>, score: &Score) -> Amount {
    let sum = || problem.weighted_sum().expect("the objective is the weighted sum").of(score.values());
    stage.map_or_else(sum, |goal| score.goal(goal))
}

/// The values of the objectives, without bounds.
pub fn values(problem: &Problem, score: &Score) -> Vec<StageDocument> {
    let value =
        |stage| StageDocument::without_bound(stage_name(stage), sense(stage), worth(problem, stage, score));
    asked_stages(problem).into_iter().map(value).collect()
}
