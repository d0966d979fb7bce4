//! The model's scores in words.

use crate::documents::{CostsDocument, PrintedReading, UnitCost};
use crate::rules::Score;
use ground::{Amount, counted, grouped};
use kit::WorthLine;

/// What the goals have come to: counts, where the profit is money.
pub fn goals(score: &Score) -> String {
    let pending = (score.pending > 0).then(|| format!("{} pending", grouped(&score.pending.to_string())));
    let counts = [
        format!("{} in use", counted(score.gpus, "GPU")),
        counted(score.migrations, "migration"),
        counted(score.repartitions, "repartition"),
        format!("{} wasted", counted(score.wasted_slices, "slice")),
    ];
    let counts: Vec<String> = std::iter::once(placed(score)).chain(pending).chain(counts).collect();
    counts.join(", ")
}

/// What the profit consists of, and what the printed reading would have cost.
pub fn worth(score: &Score, costs: &CostsDocument, printed: Option<&PrintedReading>) -> Vec<WorthLine> {
    let negative = |amount: Amount| Amount::ZERO - amount;
    let mut lines = vec![
        WorthLine::amount(
            "reward",
            score.reward,
            format!(
                "{}, {}",
                placed(score),
                of_workloads(costs.units.reward, " each", costs.reward_per_slice)
            ),
        ),
        WorthLine::amount(
            "gpus",
            negative(score.gpu_cost),
            format!("{} in use, {} each", counted(score.gpus, "GPU"), of_boards(costs.units.gpu, costs.gpu)),
        ),
        WorthLine::amount(
            "migrations",
            negative(score.migration_cost),
            format!(
                "{} migrated at {}, {} repartitioned at {}",
                counted(score.migrations, "workload"),
                of_workloads(costs.units.migration, "", costs.migration_per_slice),
                counted(score.repartitions, "GPU"),
                of_boards(costs.units.repartition, costs.repartition)
            ),
        ),
        WorthLine::amount(
            "waste",
            negative(score.waste_cost),
            format!(
                "{} wasted, {} each",
                counted(score.wasted_slices, "slice"),
                of_boards(costs.units.waste, costs.waste)
            ),
        ),
    ];
    lines.extend(printed.map(|printed| {
        let pending = counted(printed.pending, "workload");
        let words = format!("GPUs in use if freed slots could not be reused ({pending} pending)");
        WorthLine::amount("as printed", Amount::whole(printed.gpus.into()), words)
    }));
    lines
}

fn placed(score: &Score) -> String {
    let all = counted(score.placed + score.pending, "workload");
    format!("{} of {all} placed", grouped(&score.placed.to_string()))
}

/// What a workload earns or costs: an amount for each of its slices, unless workloads have amounts of their own.
fn of_workloads(own: Option<UnitCost>, each: &str, per_slice: Amount) -> String {
    own.map_or_else(|| format!("{} per slice", per_slice.grouped()), |own| format!("{own}{each}"))
}

/// What a GPU or a slice costs, unless boards have costs of their own.
fn of_boards(own: Option<UnitCost>, general: Amount) -> UnitCost {
    own.unwrap_or_else(|| UnitCost::general(general))
}
