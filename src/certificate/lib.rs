//! Certificates of optimality: their format, and the checkers that decide whether one is a proof.
//!
//! A certificate belongs to an answer. For every goal it gives whole numbers from which a better solution is refuted, goal by goal in
//! their order. A checker reads the cluster and a plain description of the question, and computes with whole numbers alone: it knows
//! neither programs nor solvers, and believes nothing that a certificate says.

mod cases;
mod explanation;
mod format;
mod magnitude;
pub mod migrator;
mod names;
mod reader;
mod refusal;
pub mod sharing;
pub mod siavashi;
mod size;
pub mod wpm;

pub use cases::{Accepted, Case, Range, Refutes};
pub use explanation::{Explained, Explains, Part, Priced, Span};
pub use format::{
    Certificate, Claim, Claimed, LARGEST_MULTIPLIER, Leaf, Multipliers, Run, Series, Step, VERSION,
};
pub use refusal::Refusal;
