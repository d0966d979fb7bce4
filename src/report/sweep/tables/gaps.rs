//! How far from the optimum the solutions of each method are.

use super::super::group::Group;
use super::super::interval::Interval;
use super::super::numbers;
use super::super::statistics::{STATISTICS, Spread};
use super::super::table::{Cell, Column, Table};
use itertools::Itertools;
use std::collections::BTreeMap;

/// What the columns mean, for readers.
pub(in super::super) const EXPLANATION: &str = "The gap is |optimum - value| / |optimum| in the first objective in which a \
    solution differs from the optimum (against an optimum of 0: over one millionth). Where the optimum is not proved, the \
    gap lies between that to the best solution known and that to the proved bound, in the first objective that is not \
    proved or differs; each statistic is then taken of the lower ends and of the upper ends, and without a bound only the \
    lower end is known. Gaps are unknown where a method's solution is all that is known of an instance or rows contradict \
    each other. Failed runs and infeasible instances have no gap. Lost profit in costs of a GPU is the profit that a solution \
    loses against the optimum, divided by what one GPU in use costs by the instance's weights. It is not a number of GPUs: one \
    pending workload may lose as much profit as hundreds of GPUs cost.";

/// Gaps, relative and in GPUs, a line for each method.
pub(in super::super) fn table(group: &Group) -> Table {
    let in_gpus = group.rows().any(|row| row.gap.is_some_and(|gap| gap.gpus.is_some()));
    let mut columns = vec![Column::words("method")];
    columns.extend(STATISTICS.map(|title| Column::numbers(title).under("relative gap")));
    if in_gpus {
        columns.extend(STATISTICS.map(|title| Column::numbers(title).under("lost profit in costs of a GPU")));
    }
    columns.extend(["known", "unknown"].map(|title| Column::numbers(title).under("runs whose gap is")));
    let lines = group.methods.iter().map(|&method| line(group, method, in_gpus)).collect();
    Table { caption: "Gap to the optimum by method".to_owned(), columns, lines }
}

fn line(group: &Group, method: &str, in_gpus: bool) -> Vec<Cell> {
    let gaps: Vec<_> = group.rows_of(method).filter_map(|(_, row)| row.gap).collect();
    let solved = group.rows_of(method).filter(|(_, row)| row.record.has_solution()).count();
    let relative: Vec<Interval> = gaps.iter().map(|gap| gap.relative).collect();
    let mut cells = vec![Cell::words(method)];
    cells.extend(statistics(&relative, Interval::percent));
    if in_gpus {
        let gpus: Vec<Interval> = gaps.iter().filter_map(|gap| gap.gpus).collect();
        cells.extend(statistics(&gpus, |interval| interval.words("")));
    }
    cells.extend([gaps.len(), solved - gaps.len()].map(Cell::count));
    cells
}

fn statistics(intervals: &[Interval], text: impl Fn(Interval) -> String) -> Vec<Cell> {
    match Spread::of_intervals(intervals) {
        None => vec![Cell::none(); STATISTICS.len()],
        Some(spread) => {
            spread.values().map(|interval| Cell::number(interval.sort_key(), text(interval))).into()
        }
    }
}

/// In which objectives the solutions of each method fall short of the optimum, where instances have several.
pub(in super::super) fn stages(group: &Group) -> Vec<String> {
    if group.stages.len() < 2 {
        return Vec::new();
    }
    let lists = group.methods.iter().filter_map(|&method| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let gaps = group.rows_of(method).filter_map(|(_, row)| row.gap);
        for stage in gaps.filter_map(|gap| gap.stage) {
            *counts.entry(group.stages.iter().position(|&known| known == stage)?).or_default() += 1;
        }
        let listed = counts
            .into_iter()
            .map(|(rank, runs)| format!("{} in {}", group.stages[rank], numbers::counted(runs, "run")))
            .join(", ");
        (!listed.is_empty()).then(|| format!("{method}: {listed}"))
    });
    lists.collect()
}
