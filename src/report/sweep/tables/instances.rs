//! Every instance, worst gaps first.

use super::super::group::{Group, Instance, Row};
use super::super::link::Link;
use super::super::numbers;
use super::super::table::{Cell, Column, Table};
use ground::Amount;
use kit::MetricEntry;
use models::metrics_of;
use std::cmp::Ordering;

/// Longer lists are for programs, not for readers.
const MOST_LISTED: usize = 500;

/// Metrics that are listed for each instance, where the model has them.
const LISTED_METRICS: [&str; 2] = ["gpus", "pending_size"];

/// What is listed, for readers.
pub(in super::super) fn explanation(group: &Group) -> String {
    let all = group.instances.len();
    let extent = if all > MOST_LISTED {
        format!(
            "The {MOST_LISTED} of {} instances with the worst gaps, worst first; the report as CSV \
             (`migopt report FOLDER --output report.csv`) has all.",
            numbers::whole(all)
        )
    } else {
        "All instances, worst gaps first.".to_owned()
    };
    let seeds =
        if group.seeds.len() > 1 { " With several seeds, the worst run of a method is listed." } else { "" };
    extent + seeds
}

/// The instances, a line for each.
pub(in super::super) fn table(group: &Group, link: &Link) -> Table {
    let known = metrics_of(group.model);
    let metrics: Vec<&MetricEntry> =
        known.iter().filter(|metric| LISTED_METRICS.contains(&metric.name)).collect();
    let mut worst_first: Vec<&Instance> = group.instances.iter().collect();
    worst_first.sort_by(|one, other| badness(other).partial_cmp(&badness(one)).unwrap_or(Ordering::Equal));
    worst_first.truncate(MOST_LISTED);
    let lines = worst_first.into_iter().map(|instance| line(group, instance, &metrics, link));
    Table { caption: "Instances".to_owned(), columns: columns(group, &metrics), lines: lines.collect() }
}

/// The instance's greatest gap, upper end first; instances without any gap come last.
fn badness(instance: &Instance) -> (f64, f64) {
    let gaps =
        instance.rows.iter().filter_map(|row| row.gap).map(|gap| (gap.relative.high, gap.relative.low));
    gaps.fold((-1.0, -1.0), |worst, gap| if gap > worst { gap } else { worst })
}

fn columns(group: &Group, metrics: &[&MetricEntry]) -> Vec<Column> {
    let mut columns = vec![Column::words("instance"), Column::words("optimum")];
    for stage in &group.stages {
        columns.push(Column::numbers(format!("best {stage}")).under("reference"));
        columns.push(Column::numbers(format!("{stage} bound")).under("reference"));
    }
    for &method in &group.methods {
        columns.push(Column::numbers("gap").under(method));
        columns.extend(metrics.iter().map(|metric| Column::numbers(metric.title).under(method)));
        columns.push(Column::words("outcome").under(method));
        columns.push(Column::numbers("s").under(method));
    }
    columns
}

fn line(group: &Group, instance: &Instance, metrics: &[&MetricEntry], link: &Link) -> Vec<Cell> {
    let name = Cell { link: link(instance.rows[0].record), ..Cell::words(instance.name()) };
    let mut cells = vec![name, Cell::words(instance.reference.state.name())];
    for &stage in &group.stages {
        let best = instance.reference.best;
        let rank = best.and_then(|best| best.stages.iter().position(|known| known.name == stage));
        cells.push(amount(rank.and_then(|rank| best?.stages[rank].value)));
        cells.push(amount(rank.and_then(|rank| *instance.reference.bounds.get(rank)?)));
    }
    for &method in &group.methods {
        let runs = instance.rows.iter().filter(|row| row.record.method == method);
        match runs.reduce(worse) {
            None => cells.extend(vec![Cell::none(); 3 + metrics.len()]),
            Some(row) => cells.extend(run(row, metrics)),
        }
    }
    cells
}

/// The worse of two runs of a method: failed, then without a gap, then with the larger gap, then the first.
fn worse<'r>(one: &'r Row<'r>, other: &'r Row<'r>) -> &'r Row<'r> {
    let badness = |row: &Row| {
        let gap = row.gap.map(|gap| gap.relative);
        (row.failed(), gap.is_none(), gap.map(|gap| (gap.high, gap.low)))
    };
    if badness(other) > badness(one) { other } else { one }
}

fn run(row: &Row, metrics: &[&MetricEntry]) -> Vec<Cell> {
    let gap = match row.gap {
        Some(gap) => Cell::number(gap.relative.sort_key(), gap.relative.percent()),
        None if row.record.has_solution() => Cell::words("unknown"),
        None => Cell::none(),
    };
    let values = metrics.iter().map(|metric| match row.record.metrics.get(metric.name) {
        Some(&value) => Cell::number(value, numbers::decimal(value)),
        None => Cell::none(),
    });
    let mut cells = vec![gap];
    cells.extend(values);
    cells.push(Cell::words(row.record.outcome.name()));
    cells.push(Cell::number(row.record.seconds, numbers::decimal(row.record.seconds)));
    cells
}

fn amount(amount: Option<Amount>) -> Cell {
    amount.map_or(Cell::none(), |amount| Cell::number(amount.to_f64(), amount.grouped()))
}
