//! The model's scores in words.

use super::about::GoalWeights;
use crate::rules::Score;
use crate::section::Goal;

/// What a result's goals consist of, and what they weigh in a weighted sum.
pub fn score_lines(score: &Score, weights: Option<GoalWeights>) -> Vec<String> {
    let line = |goal: Goal| {
        format!("    {:<10} {:>18}   {}", goal.name(), score.goal(goal).grouped(), in_words(score, goal))
    };
    let weights = weights.map(|GoalWeights { acceptance, hardware, migrations }| {
        let [acceptance, hardware, migrations] =
            [acceptance, hardware, migrations].map(|weight| weight.grouped());
        format!("  weights      acceptance {acceptance}, hardware {hardware}, migrations {migrations}")
    });
    std::iter::once("  of which".to_owned()).chain(Goal::ALL.map(line)).chain(weights).collect()
}

/// What a valid placement is worth.
pub fn verdict_lines(score: &Score) -> Vec<String> {
    let line = |goal: Goal| {
        format!("  {:<12} {}, {}", goal.name(), score.goal(goal).grouped(), in_words(score, goal))
    };
    Goal::ALL.map(line).to_vec()
}

fn in_words(score: &Score, goal: Goal) -> String {
    match goal {
        Goal::Acceptance => format!(
            "{} workloads placed, {} newcomers rejected, {} residents evicted",
            score.accepted, score.rejected, score.evicted
        ),
        Goal::Hardware => format!(
            "{} machines and {} GPUs in use, of {} GPUs in these machines",
            score.machines, score.gpus, score.gpus_of_machines
        ),
        Goal::Migrations => format!(
            "{} to another machine, {} to another GPU, {} to another start, {} evicted",
            score.moved_machine, score.moved_gpu, score.moved_start, score.evicted
        ),
    }
}
