//! How long each method takes.

use super::super::group::Group;
use super::super::numbers;
use super::super::statistics::{SHIFT_SECONDS, shifted_geometric_mean};
use super::super::table::{Cell, Column, Table};

/// What the columns mean, for readers.
pub(in super::super) fn explanation() -> String {
    format!(
        "Wall-clock seconds, without the time to start a process and read files. The geometric mean is shifted by {SHIFT_SECONDS} s: \
         that is added to each time first and subtracted from the mean, so that runs of microseconds do not outweigh those \
         that one waits for. Failed runs are left out and counted; runs stopped at a limit count with the time they took."
    )
}

/// Run times, a line for each method.
pub(in super::super) fn table(group: &Group) -> Table {
    let numbers = ["runs", "failed", "shifted geometric mean in s", "longest in s"].map(Column::numbers);
    let columns = [Column::words("method")].into_iter().chain(numbers).collect();
    let lines = group.methods.iter().map(|&method| line(group, method)).collect();
    Table { caption: "Run time by method".to_owned(), columns, lines }
}

fn line(group: &Group, method: &str) -> Vec<Cell> {
    let times = group.rows_of(method).filter(|(_, row)| !row.failed()).map(|(_, row)| row.record.seconds);
    let times: Vec<f64> = times.collect();
    let failed = group.rows_of(method).filter(|(_, row)| row.failed()).count();
    let cell =
        |time: Option<f64>| time.map_or(Cell::none(), |time| Cell::number(time, numbers::decimal(time)));
    let longest = times.iter().copied().max_by(f64::total_cmp);
    vec![
        Cell::words(method),
        Cell::count(times.len()),
        Cell::count(failed),
        cell(shifted_geometric_mean(times)),
        cell(longest),
    ]
}
