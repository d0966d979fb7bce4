//! The sections of an instance file that describe a cluster, as they stand in YAML.

use super::node_sets::{Labels, NodeSelector};
use super::one_or_many::OneOrMany;
use ground::{Amount, Misplaced};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A host, or several alike.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostSection {
    /// Name; with `count`, the hosts are called `name-0`, `name-1`, …
    pub name: String,
    /// Number of identical hosts; one, without a number in its name, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// CPU cores (model siavashi); unlimited when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Amount>,
    /// Main memory in GiB (model siavashi); unlimited when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<Amount>,
    /// What the host, and each of its GPUs, counts when it is in use (model siavashi: b_j); 1 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Amount>,
    /// Labels, by which workloads choose it (`node_selector`).
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// How many of the workloads that run on the host may be disrupted at most: moved, shifted or without a place in the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_disrupted: Option<u32>,
    /// Whether it is cordoned: nothing starts on its GPUs; what runs there stays as it is or leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cordoned: bool,
    /// Whether it is to be drained: nothing starts on its GPUs, and every workload that may be moved leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drain: bool,
    /// The GPUs of each host, called `host/0`, `host/1`, … in this order, or by their `numbers`.
    pub gpus: OneOrMany<HostGpus>,
}

/// Identical GPUs inside a host.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "GPUs such as {board: A100-80GB, count: 2}")]
pub struct HostGpus {
    /// Board name: one of `migopt list boards` or of this file's `boards`.
    pub board: String,
    /// Number of GPUs in each host; one when left out.
    #[serde(default = "one_gpu", skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The numbers of the GPUs in their host, in place of `count`, where some are left out: `[0, 2]` are `host/0` and `host/2`. GPUs
    /// without numbers are counted on from the highest before them, the first from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Vec<u32>>,
    /// Whether they are cordoned: nothing starts on these GPUs; what runs there stays as it is or leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cordoned: bool,
    /// Whether they are to be drained: nothing starts on these GPUs, and every workload that may be moved leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drain: bool,
}

/// A GPU, or several alike, outside any host.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuSection {
    /// Name; with `count`, the GPUs are called `name-0`, `name-1`, …
    pub name: String,
    /// Board name: one of `migopt list boards` or of this file's `boards`.
    pub board: String,
    /// Number of identical GPUs; one, without a number in its name, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Labels, by which workloads choose it (`node_selector`): outside any host a GPU is a node of its own.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Whether it is cordoned: nothing starts on it; what runs there stays as it is or leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cordoned: bool,
    /// Whether it is to be drained: nothing starts on it, and every workload that may be moved leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drain: bool,
}

impl HostSection {
    /// A host in service without limits.
    pub fn new(name: String, gpus: OneOrMany<HostGpus>) -> Self {
        HostSection {
            name,
            count: None,
            cpu: None,
            memory_gib: None,
            weight: None,
            labels: Labels::new(),
            max_disrupted: None,
            cordoned: false,
            drain: false,
            gpus,
        }
    }
}

impl HostSection {
    /// How many GPUs all its hosts have together; the greatest number where that is too much to count.
    pub(super) fn gpus_of_all(&self) -> u64 {
        let of_each: u64 = self.gpus.as_slice().iter().map(|group| group.len() as u64).sum();
        of_each.saturating_mul(self.count.map_or(1, u64::from))
    }
}

impl HostGpus {
    /// GPUs in service.
    pub fn new(board: String, count: u32) -> Self {
        HostGpus { board, count: Some(count), numbers: None, cordoned: false, drain: false }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.numbers {
            Some(numbers) => numbers.len(),
            None => self.count.unwrap_or(1) as usize,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their numbers, given the one after the highest before them.
    pub(super) fn numbered(&self, next: u32) -> impl Iterator<Item = u32> + '_ {
        let given = self.numbers.iter().flatten().copied();
        let count = if self.numbers.is_some() { 0 } else { self.count.unwrap_or(1) };
        given.chain(next..next.saturating_add(count))
    }
}

impl GpuSection {
    /// A GPU in service.
    pub fn new(name: String, board: String) -> Self {
        GpuSection { name, board, count: None, labels: Labels::new(), cordoned: false, drain: false }
    }
}

/// A workload: one or more replicas that each need one GPU instance.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadSection {
    /// Name; with `replicas`, the replicas are called `name#0`, `name#1`, …
    pub name: String,
    /// The MIG profile it needs, or several acceptable ones (for clusters with different boards), most wanted first: `3g.20gb`,
    /// as Kubernetes has it (`nvidia.com/mig-3g.20gb`, `mig-1g.5gb.me`), or the driver's id (19) where all boards of the cluster mean
    /// the same profile by it.
    #[schemars(with = "OneOrMany<ProfileReference>")]
    pub profile: OneOrMany<String>,
    /// The board on which it may run, or several; when left out, all that have one of its profiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boards: Option<Box<OneOrMany<String>>>,
    /// The nodes on which it may be: names of hosts, or of GPUs outside any host; when left out, all that `node_selector` admits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Box<OneOrMany<String>>>,
    /// The labels that its node must have, each with a value or several acceptable ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<Box<NodeSelector>>,
    /// The group to which the replicas belong, or several: names of `groups`, which keep apart or belong together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Box<OneOrMany<String>>>,
    /// Number of replicas; one, without a number in its name, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// Where the replicas run now, in order: a place each, or one place for the first. Replicas without a place are newcomers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<OneOrMany<Spot>>,
    /// Whether running replicas may be moved; `false` pins them to their place.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub movable: bool,
    /// How a running replica gets to another place (`migopt plan`): `surge`, where a second copy starts before the first one stops, or
    /// `restart`, where it stops first.
    #[serde(default, skip_serializing_if = "Handover::is_surge")]
    pub handover: Handover,
    /// Workloads of one class and one profile are interchangeable: a plan chooses who goes where (`migopt plan`). When left out, the
    /// replicas of this entry are a class of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The disruption budgets that bound how many of the replicas may be down at once (`migopt plan`): one name of
    /// `disruption_budgets`, or several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Box<OneOrMany<String>>>,
    /// CPU cores that each replica needs (model siavashi).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpu: Amount,
    /// Main memory in GiB that each replica needs (model siavashi).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub memory_gib: Amount,
    /// What placing a replica earns, in place of `reward_per_slice` (model wpm: p_w).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<Box<Amount>>,
    /// What moving a running replica costs, in place of `migration_per_slice` (model wpm: gamma^M_w).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration_cost: Option<Box<Amount>>,
    /// What placing a replica counts (model siavashi: a_i); 1 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance_weight: Option<Box<Amount>>,
    /// How much changes of a running replica count (model siavashi: delta_i); 1 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration_weight: Option<Box<Amount>>,
}

/// How a running workload gets to another place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Handover {
    /// A second copy starts before the first one stops, so the workload is never down.
    #[default]
    Surge,
    /// It stops, then starts at the new place.
    Restart,
}

impl Handover {
    fn is_surge(&self) -> bool {
        *self == Handover::Surge
    }
}

/// How many workloads of a group may be down at once, as the PodDisruptionBudgets of Kubernetes have it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisruptionBudgetSection {
    /// Name, by which workloads refer to it as `budget`.
    pub name: String,
    /// How many of its workloads may be down at once, whether stopped or restarting; a workload that moves by a second copy is not down.
    pub allowed: u32,
}

/// What stands for a profile in a file: its name, or its id as a number.
pub enum ProfileReference {}

impl JsonSchema for ProfileReference {
    fn schema_name() -> Cow<'static, str> {
        "ProfileReference".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "A profile by its name or by its id.", "type": ["string", "integer"], "minimum": 0})
    }
}

/// Fields of a place that people write beside `current` instead of under it.
pub const MISPLACED: &[Misplaced] = &[
    Misplaced { field: "gpu", under: "current", example: "current: {gpu: NAME, start: 0}" },
    Misplaced { field: "start", under: "current", example: "current: {gpu: NAME, start: 0}" },
];

impl WorkloadSection {
    /// A movable newcomer that needs a profile and nothing else.
    pub fn new(name: String, profile: String) -> Self {
        WorkloadSection {
            name,
            profile: OneOrMany::One(profile),
            boards: None,
            nodes: None,
            node_selector: None,
            group: None,
            replicas: None,
            current: None,
            movable: true,
            handover: Handover::Surge,
            class: None,
            budget: None,
            cpu: Amount::ZERO,
            memory_gib: Amount::ZERO,
            reward: None,
            migration_cost: None,
            acceptance_weight: None,
            migration_weight: None,
        }
    }
}

/// A place on a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a place such as {gpu: NAME, start: 0}")]
pub struct Spot {
    /// Name of the GPU.
    pub gpu: String,
    /// First memory slot of the GPU instance.
    pub start: u8,
}

/// Written down like a count that is given, so that both are the same instance.
fn one_gpu() -> Option<u32> {
    Some(1)
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
