//! The model's scores in words.

use crate::documents::{CostsDocument, PrintedReading, UnitCost};
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
                "{} of {} workloads placed, {}",
                score.placed,
                score.placed + score.pending,
                of_workloads(costs.units.reward, " each", costs.reward_per_slice)
            ),
        ),
        term(
            "gpus",
            negative(score.gpu_cost),
            format!("{} GPUs in use, {} each", score.gpus, of_boards(costs.units.gpu, costs.gpu)),
        ),
        term(
            "migrations",
            negative(score.migration_cost),
            format!(
                "{} migrated at {}, {} GPUs repartitioned at {}",
                score.migrations,
                of_workloads(costs.units.migration, "", costs.migration_per_slice),
                score.repartitions,
                of_boards(costs.units.repartition, costs.repartition)
            ),
        ),
        term(
            "waste",
            negative(score.waste_cost),
            format!(
                "{} wasted slices counted, {} each",
                score.wasted_slices,
                of_boards(costs.units.waste, costs.waste)
            ),
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

/// What a workload earns or costs: an amount for each of its slices, unless workloads have amounts of their own.
fn of_workloads(own: Option<UnitCost>, each: &str, per_slice: Amount) -> String {
    own.map_or_else(|| format!("{} per slice", per_slice.grouped()), |own| format!("{own}{each}"))
}

/// What a GPU or a slice costs, unless boards have costs of their own.
fn of_boards(own: Option<UnitCost>, general: Amount) -> UnitCost {
    own.unwrap_or_else(|| UnitCost::general(general))
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
