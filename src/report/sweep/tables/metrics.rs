//! How the metrics of each method's solutions differ from those of the reference.

use super::super::group::Group;
use super::super::numbers;
use super::super::statistics::{STATISTICS, Spread};
use super::super::table::{Cell, Column, Table};
use itertools::Itertools;
use kit::MetricEntry;
use models::metrics_of;

/// What the columns mean, for readers.
pub(in super::super) const EXPLANATION: &str = "Each number is the metric of a method's solution less that of the reference \
    solution, which is the proved optimum where there is one and else the best solution known (of several, that of \
    `optimum`, then the first by name of the method and seed). Worst is in the metric's bad direction, and nine runs in ten \
    are no worse than the 90th percentile. A difference in the good direction is possible because the optimum trades \
    metrics by the instance's weights: fewer GPUs, for example, because workloads are left pending.";

/// Differences of all metrics of the model, a line for each metric and method.
pub(in super::super) fn table(group: &Group) -> Table {
    let mut columns = ["metric", "unit", "better", "method"].map(Column::words).to_vec();
    columns.push(Column::numbers("runs"));
    columns.extend(STATISTICS.map(|title| Column::numbers(title).under("difference to the reference")));
    columns.push(Column::numbers("no difference"));
    let metrics = metrics_of(group.model);
    let lines = metrics
        .iter()
        .flat_map(|metric| group.methods.iter().filter_map(move |&method| line(group, metric, method)))
        .collect();
    Table { caption: "Metrics against the reference".to_owned(), columns, lines }
}

fn line(group: &Group, metric: &MetricEntry, method: &str) -> Option<Vec<Cell>> {
    // With large as bad, the statistics of all metrics are alike.
    let sign = if metric.more_is_better { -1.0 } else { 1.0 };
    let differences: Vec<f64> = group
        .rows_of(method)
        .filter_map(|(instance, row)| {
            let reference = instance.reference.best?.metrics.get(metric.name)?;
            Some(sign * (row.record.metrics.get(metric.name)? - reference))
        })
        .collect();
    let runs = differences.len();
    let same = differences.iter().filter(|&&difference| difference == 0.0).count();
    let spread = Spread::of(differences)?;
    let mut cells = vec![
        Cell::words(metric.title),
        Cell::words(metric.unit),
        Cell::words(if metric.more_is_better { "more" } else { "less" }),
        Cell::words(method),
        Cell::count(runs),
    ];
    // The sum turns -0 into 0.
    let signed = spread.values().map(|badness| sign * badness + 0.0);
    cells.extend(signed.map(|number| Cell::number(number, numbers::difference(number))));
    cells.push(Cell::number(same as f64 / runs as f64, numbers::share(same, runs)));
    Some(cells)
}

/// What each metric of the models is.
pub(in super::super) fn definitions(groups: &[&Group]) -> Table {
    let mut lines = Vec::new();
    for model in groups.iter().map(|group| group.model).unique() {
        lines.extend(metrics_of(model).iter().map(|metric| {
            let better = if metric.more_is_better { "more" } else { "less" };
            [model, metric.title, metric.unit, better, metric.definition].map(Cell::words).to_vec()
        }));
    }
    let columns = ["model", "metric", "unit", "better", "definition"].map(Column::words).to_vec();
    Table { caption: "Definitions of the metrics".to_owned(), columns, lines }
}
