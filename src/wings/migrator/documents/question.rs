//! A problem with everything resolved, for programs that do not want to know defaults and files.

use crate::instance::{ModelTasks, Problem};
use crate::section::Readings;
use ground::Amount;
use kit::InstanceReference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The question that an external heuristic reads: the instance with series of requests read from their files, times in slots,
/// and everything that fits the GPU.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt question of model migrator")]
pub struct QuestionDocument {
    /// The model: `migrator`.
    pub model: String,
    /// The instance; a solution repeats this entry.
    pub instance: InstanceReference,
    /// Seed for whatever is random; the same seed must give the same answer.
    pub seed: u64,
    /// Board of the GPU.
    pub board: String,
    /// Names of the sizes of GPU instances, in ascending order.
    pub sizes: Vec<String>,
    /// GPCs of each size.
    pub gpcs: Vec<u32>,
    /// Everything that fits the GPU and to which nothing can be added: numbers of instances of each size.
    pub configurations: Vec<Vec<u8>>,
    /// Slots of the window.
    pub slots: u32,
    /// Seconds of a slot.
    pub basis_seconds: Amount,
    /// How the paper's ambiguous rules are read.
    pub readings: Readings,
    /// The models.
    pub models: Vec<QuestionModel>,
}

/// A model.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionModel {
    /// Name.
    pub name: String,
    /// Size of the smallest instance on which the inference task can be deployed.
    pub minimum_instance: String,
    /// Requests per second that an instance of each size serves.
    pub capability: Vec<Amount>,
    /// Accuracy until the retraining is complete.
    pub accuracy_before: Amount,
    /// Accuracy from the slot after its completion on.
    pub accuracy_after: Amount,
    /// Slots of retraining by size; a size left out is not used.
    pub retraining_slots: BTreeMap<String, u32>,
    /// Seconds of a reconfiguration.
    pub reconfiguration_seconds: Amount,
    /// Billions of floating-point operations per request, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gflops: Option<Amount>,
    /// Instances before the window, by size; absent where the first allocation is free of cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_allocation: Option<Vec<String>>,
    /// Requests received in each slot.
    pub requests: Vec<Amount>,
}

impl QuestionDocument {
    /// Writes a problem down.
    pub fn new(problem: &Problem, fingerprint: &str, seed: u64) -> Self {
        let gpu = &problem.gpu;
        let name = |size| gpu.size(size).name.clone();
        let model = |tasks: &ModelTasks| QuestionModel {
            name: tasks.name.clone(),
            minimum_instance: name(tasks.minimum),
            capability: tasks.capability.clone(),
            accuracy_before: tasks.before,
            accuracy_after: tasks.after,
            retraining_slots: gpu
                .size_indices()
                .zip(&tasks.retraining)
                .filter_map(|(size, slots)| Some((name(size), (*slots)?)))
                .collect(),
            reconfiguration_seconds: tasks.reconfiguration,
            gflops: tasks.gflops,
            first_allocation: tasks.first.as_ref().map(|first| first.sizes().map(name).collect()),
            requests: tasks.requests.clone(),
        };
        QuestionDocument {
            model: "migrator".to_owned(),
            instance: InstanceReference::new(&problem.name, fingerprint),
            seed,
            board: gpu.board.name().to_owned(),
            sizes: gpu.sizes.iter().map(|size| size.name.clone()).collect(),
            gpcs: gpu.sizes.iter().map(|size| size.gpcs).collect(),
            configurations: gpu.maximal().map(|allocation| allocation.counts().to_vec()).collect(),
            slots: problem.slots,
            basis_seconds: problem.basis,
            readings: problem.readings,
            models: problem.models.iter().map(model).collect(),
        }
    }
}
