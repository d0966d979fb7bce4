//! The sections of an instance file that describe a cluster, as they stand in YAML.

use super::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An entry together with where it stands in the file.
pub type Located<T> = serde_yaml::Spanned<T>;

/// A host, or several alike.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostSection {
    /// Name; with `count`, the hosts are called `name-0`, `name-1`, …
    pub name: String,
    /// Number of identical hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// CPU cores; unlimited when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Amount>,
    /// Main memory in GiB; unlimited when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<Amount>,
    /// The GPUs of each host, called `host/0`, `host/1`, … in this order.
    pub gpus: OneOrMany<HostGpus>,
}

/// Identical GPUs inside a host.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostGpus {
    /// Board name: one of `migopt list boards` or of this file's `boards`.
    pub board: String,
    /// How many.
    #[serde(default = "one")]
    pub count: u32,
}

/// A GPU, or several alike, outside any host.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuSection {
    /// Name; with `count`, the GPUs are called `name-0`, `name-1`, …
    pub name: String,
    /// Board name: one of `migopt list boards` or of this file's `boards`.
    pub board: String,
    /// Number of identical GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

/// A workload: one or more replicas that each need one GPU instance.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadSection {
    /// Name; with `replicas`, the replicas are called `name#0`, `name#1`, …
    pub name: String,
    /// The MIG profile it needs, or several acceptable ones (for clusters with different boards), most wanted first.
    pub profile: OneOrMany<String>,
    /// Number of replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// Where the replicas run now, in order; replicas without an entry are newcomers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<OneOrMany<Spot>>,
    /// Whether running replicas may be moved.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub movable: bool,
    /// CPU cores per replica.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpu: Amount,
    /// Main memory per replica in GiB.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub memory_gib: Amount,
    /// What placing a replica earns (model wpm: p_w).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<Amount>,
    /// What moving a running replica costs (model wpm: gamma^M_w).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration_cost: Option<Amount>,
}

/// A place on a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// GPU name.
    pub gpu: String,
    /// First memory slot of the GPU instance.
    pub start: u8,
}

/// A single thing or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// A list.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// All of them.
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}
