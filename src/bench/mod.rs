//! Sweeps: many instances, many methods, a row for each that nothing loses.

mod record;

pub use record::{Key, Outcome, Record, better};
