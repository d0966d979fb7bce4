//! What an instance file does not hold and a plan for the real cluster needs: ids, UUIDs, and the layout that was found.

use crate::movability::Movability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
pub const LOCK_VERSION: u32 = 1;

/// The state of a cluster as its files told it: the names by which tools know its GPUs, its instances, and who uses these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt cluster lock")]
pub struct ClusterLock {
    /// Version of this format.
    pub version: u32,
    /// Name of the cluster, that of its instance file.
    pub cluster: String,
    /// A fingerprint of all layouts: those of GPUs, their boards, and the profiles and starts of their instances.
    pub fingerprint: String,
    /// The GPUs by their names in the instance file, `NODE/INDEX`.
    pub gpus: BTreeMap<String, LockedGpu>,
    /// Workloads by their names in the instance file.
    pub workloads: BTreeMap<String, LockedWorkload>,
    /// Disruption budgets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disruption_budgets: Vec<LockedBudget>,
    /// The nodes.
    pub nodes: Vec<LockedNode>,
    /// GPUs that are not in the instance file, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, String>,
    /// What no file told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<LockedUnknown>,
}

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedGpu {
    /// Its node.
    pub node: String,
    /// Its index on the node, as `nvidia-smi` counts.
    pub index: u32,
    /// Its UUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// Its minor number: the N of /dev/nvidiaN, and of the names of its devices under dynamic resource allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minor: Option<u32>,
    /// Its PCI address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
    /// Its product, where a file told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Its board.
    pub board: String,
    /// Whether it takes no new pods.
    #[serde(default, skip_serializing_if = "is_no")]
    pub cordoned: bool,
    /// A fingerprint of its layout: its board, and profiles and starts of its instances.
    pub fingerprint: String,
    /// Its GPU instances in the order of their slots.
    pub instances: Vec<LockedInstance>,
    /// The files that tell of it.
    pub sources: Vec<String>,
}

/// A GPU instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedInstance {
    /// Its profile, as the board calls it.
    pub profile: String,
    /// The driver's id of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_id: Option<u32>,
    /// First memory slot.
    pub start: u8,
    /// Memory slots.
    pub size: u32,
    /// Its id on the GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_instance: Option<u32>,
    /// Its compute instances.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compute_instances: Vec<LockedCompute>,
    /// Whether it is in use.
    pub state: LockedState,
    /// Who uses it, such as `serving/chat-0`, `job-4703/chat-0` or `pid-1234@gpu-a`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
}

/// A compute instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedCompute {
    /// Its id in the GPU instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// UUID of the MIG device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mig_uuid: Option<String>,
}

/// Whether an instance is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LockedState {
    /// It has a user.
    InUse,
    /// It has none.
    Idle,
    /// It has no compute instance, so that it cannot have a user.
    NoComputeInstance,
    /// No file told.
    Unknown,
}

/// A workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedWorkload {
    /// Where it runs: GPU and start; absent of a newcomer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// First memory slot of its instance; absent of a newcomer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u8>,
    /// How it can be moved.
    pub movability: Movability,
    /// Why.
    pub reason: String,
    /// Workloads of one class and one profile may stand for each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Disruption budgets that protect it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<String>,
    /// Namespace of its pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Its job of Slurm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<u64>,
}

/// A disruption budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedBudget {
    /// Namespace and name.
    pub name: String,
    /// How many of its pods may be stopped now; absent where no one has counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<u32>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedNode {
    /// Its name.
    pub name: String,
    /// Whether it takes no new pods or jobs.
    #[serde(default, skip_serializing_if = "is_no")]
    pub cordoned: bool,
    /// Its labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Its taints, `KEY=VALUE:EFFECT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<String>,
}

/// What no file told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedUnknown {
    /// The GPU or the node.
    pub of: String,
    /// What is not known.
    pub what: String,
    /// The command whose answer would tell.
    pub command: String,
}

fn is_no(value: &bool) -> bool {
    !value
}
