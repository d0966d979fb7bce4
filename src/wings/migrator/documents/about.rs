//! How answers repeat the question.

use crate::instance::Problem;
use crate::rules::GOODPUT;
use crate::section::Readings;
use schemars::JsonSchema;
use serde::Serialize;

/// How answers repeat the question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct About {
    /// How the goals are combined.
    pub objective: String,
    /// How ambiguous rules are read (migrator).
    pub readings: Readings,
}

impl About {
    /// Of a problem.
    pub fn of(problem: &Problem) -> Self {
        About { objective: GOODPUT.to_owned(), readings: problem.readings }
    }
}
