//! The model's scores in words.

use super::verify::Score;
use crate::cluster::Amount;

/// What a placement's goals consist of.
pub fn score_lines(score: &Score) -> Vec<String> {
    let term = |name: &str, value: Amount, words: String| {
        format!("    {name:<10} {:>18}   {words}", value.grouped())
    };
    vec![
        "  of which".to_owned(),
        term(
            "acceptance",
            score.acceptance,
            format!(
                "{} workloads placed, {} newcomers rejected, {} residents evicted",
                score.accepted, score.rejected, score.evicted
            ),
        ),
        term(
            "hardware",
            score.hardware,
            format!(
                "{} machines and {} GPUs in use, of {} GPUs in these machines",
                score.machines, score.gpus, score.gpus_of_machines
            ),
        ),
        term(
            "migrations",
            score.migrations,
            format!(
                "{} to another machine, {} to another GPU, {} to another start, {} evicted",
                score.moved_machine, score.moved_gpu, score.moved_start, score.evicted
            ),
        ),
    ]
}
