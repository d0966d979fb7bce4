//! How the runs of each method ended.

use super::super::group::Group;
use super::super::numbers;
use super::super::reference::State;
use super::super::table::{Cell, Column, Table};
use bench::Outcome;
use itertools::Itertools;
use std::collections::BTreeMap;

/// What the columns mean, for readers.
pub(in super::super) const EXPLANATION: &str = "A run is one row: a method on an instance, with a seed where it takes \
    one. Valid runs hold a solution that the verifier accepts. At the optimum are those worth exactly as much as a proved \
    optimum, counted among all runs, failed ones included, on instances whose optimum is proved.";

/// Runs by outcome, a line for each method.
pub(in super::super) fn table(group: &Group) -> Table {
    let lines = group.methods.iter().map(|&method| line(group, method)).collect();
    let numbers = ["runs", "valid", "proved optimal", "proved infeasible", "failed", "at the optimum"];
    let columns = [Column::words("method")].into_iter().chain(numbers.map(Column::numbers)).collect();
    Table { caption: "Outcomes by method".to_owned(), columns, lines }
}

fn line(group: &Group, method: &str) -> Vec<Cell> {
    let ended = |outcome| group.rows_of(method).filter(|(_, row)| row.record.outcome == outcome).count();
    let valid = group.rows_of(method).filter(|(_, row)| row.record.has_solution()).count();
    let comparable =
        || group.rows_of(method).filter(|(instance, _)| instance.reference.state == State::Proved);
    let all = comparable().count();
    let optimal = comparable().filter(|(_, row)| row.gap.is_some_and(|gap| gap.is_optimal())).count();
    let share = match all {
        0 => Cell::none(),
        all => Cell::number(optimal as f64 / all as f64, numbers::share(optimal, all)),
    };
    vec![
        Cell::words(method),
        Cell::count(group.rows_of(method).count()),
        Cell::count(valid),
        Cell::count(ended(Outcome::Optimal)),
        Cell::count(ended(Outcome::Infeasible)),
        Cell::count(ended(Outcome::Failed)),
        share,
    ]
}

/// Why runs failed, an entry for each method with failures, most frequent reasons first.
pub(in super::super) fn failures(group: &Group) -> Vec<String> {
    let failures = group.methods.iter().filter_map(|&method| {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, row) in group.rows_of(method).filter(|(_, row)| row.failed()) {
            *reasons.entry(row.record.reason.as_deref().unwrap_or("no reason given")).or_default() += 1;
        }
        let all: usize = reasons.values().sum();
        let by_frequency =
            reasons.into_iter().sorted_by_key(|&(reason, times)| (std::cmp::Reverse(times), reason));
        let listed =
            by_frequency.map(|(reason, times)| format!("{} × {reason}", numbers::whole(times))).join("; ");
        (all > 0).then(|| format!("{method} failed in {}: {listed}", numbers::counted(all, "run")))
    });
    failures.collect()
}
