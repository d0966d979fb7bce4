//! How large a program may become, asked before it is built.

use super::solving::SolveError;
use ground::grouped;

/// The most columns and rows that are built. Each takes about half a KiB, so that they take about a GiB.
const MOST: u64 = 2_000_000;

/// Refuses a program with more columns and rows than a solver could make use of, before any memory is taken for it.
///
/// # Errors
/// When there are too many; the message names the size, and what to use `instead`.
pub fn check_size(program: &str, columns: u64, rows: u64, instead: &str) -> Result<(), SolveError> {
    if columns.saturating_add(rows) <= MOST {
        return Ok(());
    }
    let number = |count: u64| grouped(&count.to_string());
    Err(SolveError::Refused(format!(
        "the program `{program}` would have up to {} columns and {} rows here; at most {} together are built. Use the formulation \
         {instead}",
        number(columns),
        number(rows),
        number(MOST)
    )))
}
