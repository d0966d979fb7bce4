//! Sweeps: many instances, many methods, a row for each that nothing loses.

mod record;
mod rows;

pub use record::{Key, Outcome, Record, better};
pub use rows::{ROWS_FILE, read_rows};
