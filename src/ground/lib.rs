//! What every other room stands on: exact amounts, the text of input files, and errors that point into it.

mod amount;
pub mod document;
mod duration;
mod entry_checks;
mod fingerprint;
mod index;
mod input_error;
mod name_index;
mod source_text;
mod words;

pub use amount::{Amount, AmountError, grouped};
pub use document::{At, Located, Misplaced, did_you_mean};
pub use duration::duration_microseconds;
pub use entry_checks::{Counted, LARGEST_AMOUNT, LARGEST_COUNT, duplicate, in_range, unfit_for_a_name};
pub use fingerprint::Fingerprint;
pub use input_error::{Complaints, InputError};
pub use name_index::NameIndex;
pub use source_text::SourceText;
pub use words::{capitalised, counted, name_some};
