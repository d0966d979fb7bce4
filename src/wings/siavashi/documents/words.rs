//! The model's scores in words.

use super::about::GoalWeights;
use crate::rules::Score;
use crate::section::Goal;
use ground::{counted, grouped};
use kit::WorthLine;

/// What each goal consists of, whether it is asked for or not, and what the goals weigh in a weighted sum.
pub fn worth(score: &Score, weights: Option<GoalWeights>) -> Vec<WorthLine> {
    let line = |goal: Goal| WorthLine::amount(goal.name(), score.goal(goal), in_words(score, goal));
    let weights = weights.map(|GoalWeights { acceptance, hardware, migrations }| {
        let [acceptance, hardware, migrations] =
            [acceptance, hardware, migrations].map(|weight| weight.grouped());
        let words = format!("acceptance {acceptance}, hardware {hardware}, migrations {migrations}");
        WorthLine::words("weights", words)
    });
    Goal::ALL.map(line).into_iter().chain(weights).collect()
}

/// What the goals have come to: counts, where the weighted sum is none.
pub fn goals(score: &Score) -> String {
    let hardware =
        format!("{} and {} in use", counted(score.machines, "machine"), counted(score.gpus, "GPU"));
    let migrations = score.moved_machine + score.moved_gpu + score.moved_start + score.moved_with_group;
    format!("{}, {hardware}, {}", in_words(score, Goal::Acceptance), counted(migrations, "migration"))
}

fn in_words(score: &Score, goal: Goal) -> String {
    match goal {
        Goal::Acceptance => format!(
            "{} placed, {} rejected, {} evicted",
            counted(score.accepted, "workload"),
            counted(score.rejected, "newcomer"),
            counted(score.evicted, "resident")
        ),
        Goal::Hardware => format!(
            "{} and {} in use, of {} in these machines",
            counted(score.machines, "machine"),
            counted(score.gpus, "GPU"),
            counted(score.gpus_of_machines, "GPU")
        ),
        Goal::Migrations => {
            let with_group = match score.moved_with_group {
                0 => String::new(),
                count => format!(", {} with their group", number(count)),
            };
            format!(
                "{} to another machine, {} to another GPU, {} to another start{with_group}, {} evicted",
                number(score.moved_machine),
                number(score.moved_gpu),
                number(score.moved_start),
                number(score.evicted)
            )
        }
    }
}

fn number(count: u64) -> String {
    grouped(&count.to_string())
}
