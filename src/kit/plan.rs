//! Plans of a window of time as files: names instead of indices.

use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens on a GPU during a window of time.
///
/// Slots are counted from 0; `until` is the slot after the last one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDocument {
    /// What happens to each model, in the order of the instance.
    pub tasks: Vec<PlannedTask>,
    /// The GPU and the window; for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<PlannedWindow>,
    /// Every GPU instance from its creation to its destruction, laid out so that the fewest are destroyed; for information.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<PlannedInstance>,
    /// Every change of the GPU's layout; for information.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LayoutChange>,
}

/// What happens to a model.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedTask {
    /// The model's name.
    pub model: String,
    /// When and on what it is retrained.
    pub retraining: Option<PlannedRetraining>,
    /// What its inference task has: runs of slots that together cover the window.
    pub inference: Vec<PlannedRun>,
    /// Requests, capability and service slot by slot; for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<TaskSeries>,
}

/// The retraining of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedRetraining {
    /// Size of its GPU instance, such as `2g`.
    pub instance: String,
    /// First slot.
    pub from: u32,
    /// The slot after the last one.
    pub until: u32,
}

/// A run of slots in which an inference task has the same GPU instances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedRun {
    /// First slot.
    pub from: u32,
    /// The slot after the last one.
    pub until: u32,
    /// Sizes of its GPU instances, such as `[3g, 1g]`.
    pub instances: Vec<String>,
}

/// The GPU and the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedWindow {
    /// Board of the GPU.
    pub board: String,
    /// Its memory slots.
    pub memory_slots: u32,
    /// Slots of the window.
    pub slots: u32,
    /// Seconds of a slot.
    pub basis_seconds: Amount,
}

/// Requests, capability and service of an inference task, slot by slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskSeries {
    /// Requests received.
    pub requests: Vec<Amount>,
    /// Requests that can be served.
    pub capability: Vec<Amount>,
    /// Requests served.
    pub served: Vec<Amount>,
}

/// Which of a model's two tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    /// Serves requests.
    Inference,
    /// Raises the model's accuracy.
    Retraining,
}

/// A GPU instance from its creation to its destruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedInstance {
    /// The model that has it.
    pub model: String,
    /// The task that has it.
    pub task: TaskKind,
    /// Its size, such as `3g`.
    pub instance: String,
    /// Its first memory slot.
    pub start: u32,
    /// Memory slots that it takes.
    pub size: u32,
    /// First slot of the window in which the task has it.
    pub from: u32,
    /// The slot after the last one.
    pub until: u32,
    /// Seconds before `from` at which its creation can begin, as its memory slots are free from then on; at most a
    /// reconfiguration's.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub prepared_seconds: Amount,
}

/// A change of the GPU's layout at the beginning of a slot of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutChange {
    /// The slot.
    pub slot: u32,
    /// GPU instances that are destroyed.
    pub destroyed: Vec<ChangedInstance>,
    /// GPU instances that are created.
    pub created: Vec<ChangedInstance>,
    /// Models whose inference task is reconfigured, as the model counts it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reconfigured: Vec<ReconfiguredTask>,
}

/// A GPU instance that is destroyed or created.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedInstance {
    /// The model that has it.
    pub model: String,
    /// The task that has it.
    pub task: TaskKind,
    /// Its size, such as `3g`.
    pub instance: String,
    /// Its first memory slot.
    pub start: u32,
}

/// An inference task that is reconfigured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReconfiguredTask {
    /// Its model.
    pub model: String,
    /// Seconds that its reconfiguration takes.
    pub seconds: Amount,
    /// Seconds of them that pass before the slot when its new instances are created ahead on memory that is free.
    pub hidden_seconds: Amount,
}

fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}
