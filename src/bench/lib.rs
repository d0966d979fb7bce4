//! Sweeps: many instances, many methods, a row for each that nothing loses.

mod attempt;
mod case;
mod external;
mod ledger;
mod method;
mod process;
mod record;
mod rows;
mod sweep;

pub use attempt::{ask, attempt};
pub use case::Case;
pub use ledger::{Conditions, Ledger, LedgerError};
pub use method::{Method, OPTIMUM};
pub use record::{Key, Outcome, Record};
pub use rows::{ROWS_FILE, read_rows};
pub use sweep::{Job, Runner, jobs};
