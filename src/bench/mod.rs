//! Sweeps: many instances, many methods, a row for each that nothing loses.

mod attempt;
mod external;
mod ledger;
mod method;
mod process;
mod record;
mod rows;
mod sweep;

pub use attempt::{Limits, ask, attempt};
pub use ledger::{Conditions, Ledger, LedgerError};
pub use method::{Method, OPTIMUM};
pub use record::{Key, Outcome, Record};
pub use rows::{ROWS_FILE, read_rows};
pub use sweep::{Case, Job, Runner, jobs};
