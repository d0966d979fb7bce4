//! Sweeps: many instances, many methods, a row for each that nothing loses.

mod attempt;
mod case;
mod change;
mod conditions;
mod exact;
mod external;
mod folder;
mod gather;
mod job;
mod ledger;
mod ledger_error;
mod method;
mod plan;
mod process;
mod program;
mod record;
mod rows;
mod shard;
mod sweep;

pub use attempt::{ask, attempt};
pub use case::Case;
pub use change::Changes;
pub use conditions::Conditions;
pub use exact::{Exact, OPTIMUM};
pub use folder::SweepFolder;
pub use gather::gather;
pub use job::{Job, jobs};
pub use ledger::{Ledger, Redo};
pub use ledger_error::LedgerError;
pub use method::{LIBRARY, Method};
pub use plan::{PLAN_FILE, Plan, Planned};
pub use program::Digests;
pub use record::{Key, Outcome, Record};
pub use rows::{ROWS_FILE, read_rows};
pub use shard::{Shard, shards_in};
pub use sweep::Runner;
