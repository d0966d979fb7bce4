//! The model's scores in words.

use crate::documents::CostsDocument;
use crate::documents::PrintedReading;
use crate::rules::Score;
use ground::Amount;

/// What a result's profit consists of, and what the printed reading would have cost.
pub fn score_lines(score: &Score, costs: &CostsDocument, printed: Option<&PrintedReading>) -> Vec<String> {
    let term = |name: &str, value: Amount, words: String| {
        format!("    {name:<10} {:>18}   {words}", value.grouped())
    };
    let negative = |amount: Amount| Amount::ZERO - amount;
    let mut lines = vec![
        "  of which".to_owned(),
        term(
            "reward",
            score.reward,
            format!(
                "{} of {} workloads placed, {} per slice",
                score.placed,
                score.placed + score.pending,
                costs.reward_per_slice.grouped()
            ),
        ),
        term(
            "gpus",
            negative(score.gpu_cost),
            format!("{} GPUs in use, {} each", score.gpus, costs.gpu.grouped()),
        ),
        term(
            "migrations",
            negative(score.migration_cost),
            format!(
                "{} migrated at {} per slice, {} GPUs repartitioned at {}",
                score.migrations,
                costs.migration_per_slice.grouped(),
                score.repartitions,
                costs.repartition.grouped()
            ),
        ),
        term(
            "waste",
            negative(score.waste_cost),
            format!("{} wasted slices counted, {} each", score.wasted_slices, costs.waste.grouped()),
        ),
    ];
    lines.extend(printed.map(|printed| {
        format!(
            "  as printed   {:>18}   GPUs in use if freed slots could not be reused ({} workloads waiting)",
            printed.gpus, printed.pending
        )
    }));
    lines
}

/// What a valid solution is worth.
pub fn verdict_lines(score: &Score) -> Vec<String> {
    let term = |name: &str, value: Amount, words: String| format!("  {name:<12} {value}{words}");
    vec![
        term("profit", score.profit, String::new()),
        term("reward", score.reward, format!(" ({} placed, {} waiting)", score.placed, score.pending)),
        term("gpu cost", score.gpu_cost, format!(" ({} GPUs)", score.gpus)),
        term(
            "migration",
            score.migration_cost,
            format!(" ({} migrations, {} repartitions)", score.migrations, score.repartitions),
        ),
        term("waste", score.waste_cost, format!(" ({} slices)", score.wasted_slices)),
    ]
}
