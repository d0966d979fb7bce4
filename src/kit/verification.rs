//! What verifiers find. It knows neither programs nor solvers.

use std::fmt::Display;

/// What the verifier of a model finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification<Violation, Score> {
    /// The rules that are broken.
    pub violations: Vec<Violation>,
    /// What the solution would be worth if none were.
    pub score: Score,
}

/// A broken rule; its words name what breaks it.
pub trait Rule: Display {
    /// Its short, stable name.
    fn rule(&self) -> &'static str;
}
