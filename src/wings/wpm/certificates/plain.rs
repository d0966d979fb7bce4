//! The question in the plain terms of the checker.

use crate::instance::Problem;
use crate::rules::{Reading, Score};
use crate::section::{Goal, Objective, Shifts, UseCase};
use certificate::wpm::{self as plain, BoardCosts, Question, Stage, Term};
use ground::Amount;

/// The question that a problem asks under a reading.
pub fn plain(problem: &Problem, reading: Reading) -> Question<'_> {
    let boards = problem.costs.board.iter().map(|costs| BoardCosts {
        gpu: costs.gpu,
        repartition: costs.repartition,
        waste: costs.waste,
    });
    Question {
        cluster: &problem.cluster,
        reading: match reading {
            Reading::Printed => plain::Reading::Printed,
            Reading::ExactIndex => plain::Reading::ExactIndex,
        },
        parts: problem.roles.iter().map(|role| role.part()).collect(),
        uses_free_gpus: problem.use_case != UseCase::Compaction,
        lays_out_anew: problem.use_case == UseCase::Reconfiguration,
        shifts_count: problem.limits.shifts == Shifts::Counted,
        place_all: problem.place_all,
        max_migrations: problem.limits.max_migrations,
        rewards: &problem.costs.reward,
        migrations: &problem.costs.migration,
        boards: boards.collect(),
        stages: stages(problem),
    }
}

/// The goals that are proved, one after the other: where the order of the goals is guaranteed, those of the lexicographic objective,
/// whose optima are those of the profit.
fn stages(problem: &Problem) -> Vec<Stage> {
    let goals = match &problem.objective {
        Objective::Lexicographic(goals) => goals.as_slice(),
        Objective::Weighted if problem.costs.order_guaranteed => &Goal::ALL,
        Objective::Weighted => return vec![Stage::Profit],
    };
    let stage = |goal: &Goal| match goal {
        Goal::Reward => Stage::Of(Term::Reward),
        Goal::Gpus => Stage::Of(Term::Gpus),
        Goal::Migrations => Stage::Of(Term::Migrations),
        Goal::Waste => Stage::Of(Term::Waste),
    };
    goals.iter().map(stage).collect()
}

/// What a solution is worth in every goal that is proved.
pub fn values(question: &Question<'_>, score: &Score) -> Vec<Amount> {
    let value = |stage: &Stage| match stage {
        Stage::Of(Term::Reward) => score.reward,
        Stage::Of(Term::Gpus) => score.gpu_cost,
        Stage::Of(Term::Migrations) => score.migration_cost,
        Stage::Of(Term::Waste) => score.waste_cost,
        Stage::Profit => score.profit,
    };
    question.stages.iter().map(value).collect()
}
