//! What a plan is worth: its goodput, and what that consists of.

use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the objective.
pub const GOODPUT: &str = "goodput";

/// What a plan is worth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MigratorScore")]
pub struct Score {
    /// Row (8): served requests times accuracy, rounded down to a millionth.
    pub goodput: Amount,
    /// Requests served in their slot, rounded down to a millionth.
    pub served: Amount,
    /// Requests received.
    pub received: Amount,
    /// Reconfigurations of inference tasks: row (11).
    pub reconfigurations: u64,
    /// Other changes of the mix of instances of an inference task, which row (11) does not see.
    pub unseen_changes: u64,
    /// The same by model, in the order of the instance.
    pub models: Vec<ModelScore>,
}

/// What a plan is worth to one model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelScore {
    /// The model.
    pub model: String,
    /// Served requests times accuracy, rounded down to a millionth.
    pub goodput: Amount,
    /// Requests served in their slot, rounded down to a millionth.
    pub served: Amount,
    /// Requests received.
    pub received: Amount,
    /// Reconfigurations of its inference task.
    pub reconfigurations: u64,
    /// First slot that is served with the accuracy after retraining.
    pub retrained_from: u32,
}
