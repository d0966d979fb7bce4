//! How far a proof is looked for.

use solver::{Control, Effort};
use std::time::Instant;

/// The most leaves of a proof.
pub const MOST_LEAVES: usize = 3_000;

/// The most splits above a leaf.
pub const MOST_DEPTH: usize = 300;

/// Who gives advice, and until when.
pub struct Limits<'a> {
    /// The solver and its settings.
    pub effort: &'a Effort,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Interruption by the user.
    pub control: &'a Control,
}
