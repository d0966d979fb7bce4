//! What is wrong with a plan.

use schemars::JsonSchema;
use serde::Serialize;

/// A rule that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The rule's short, stable name.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
}
