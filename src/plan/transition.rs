//! What is wanted: from where, to where, and within which limits.

use crate::as_one::{AsOne, moving};
use crate::class::{Class, classes};
use crate::place::{Place, is_pinned, place};
use cluster::{Cluster, GpuIndex, Location, Placement, WorkloadIndex};
use itertools::Itertools;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Who changes the GPU instances of a cluster, and so what has to be empty for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// `nvidia-smi mig`: instance by instance, beside running ones.
    #[default]
    NvidiaSmi,
    /// mig-parted and the MIG manager: a GPU is cleared as a whole before it is laid out anew.
    MigParted,
    /// Kubernetes' dynamic resource allocation: the driver makes an instance for each claim.
    Dra,
    /// HAMi: it makes an instance for each pod.
    Hami,
    /// Slurm: only a drained node is partitioned anew.
    Slurm,
}

/// What has to be empty before any of it is partitioned anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nothing but the slots of the new instance.
    Instance,
    /// The GPU.
    Gpu,
    /// All GPUs of the node.
    Node,
}

impl Backend {
    /// All of them.
    pub const ALL: &'static [Backend] =
        &[Backend::NvidiaSmi, Backend::MigParted, Backend::Dra, Backend::Hami, Backend::Slurm];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Backend::NvidiaSmi => "nvidia-smi",
            Backend::MigParted => "mig-parted",
            Backend::Dra => "dra",
            Backend::Hami => "hami",
            Backend::Slurm => "slurm",
        }
    }

    /// What has to be empty before any of it is partitioned anew.
    pub fn unit(self) -> Unit {
        match self {
            Backend::NvidiaSmi | Backend::Dra | Backend::Hami => Unit::Instance,
            Backend::MigParted => Unit::Gpu,
            Backend::Slurm => Unit::Node,
        }
    }
}

/// How much may happen in one round, and how many rounds there may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Most entries of a round: moves, starts, and stops of workloads that start again later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_parallel: Option<u32>,
    /// Most workloads that come to a node in a round, and most that leave it. A GPU that is on no host is a node by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_parallel_per_node: Option<u32>,
    /// Most rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u32>,
}

/// A cluster as it is, a target, and what limits the way from one to the other.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The cluster as it is.
    pub cluster: Arc<Cluster>,
    /// Where every workload shall be.
    pub target: Placement,
    /// How much may happen at once.
    pub limits: Limits,
    /// Who changes the GPU instances.
    pub backend: Backend,
    /// Interchangeable workloads, with the places that they have and shall have. Those that are pinned are in none.
    pub classes: Vec<Class>,
    /// The class of each workload; none of what is pinned.
    pub class_of: Vec<Option<usize>>,
    /// The groups that count as one and move.
    pub as_one: Vec<AsOne>,
    /// Whether the workloads of each class count as one with others.
    is_part: Vec<bool>,
    nodes: Vec<usize>,
}

impl Transition {
    /// The way from where everything is to `target`, which must be a legal placement.
    ///
    /// # Errors
    /// When the target moves a workload that may not be moved, starts one on a GPU that is cordoned or to be drained or on a node where it
    /// may not be, or has places for a part of what counts as one.
    pub fn new(
        cluster: Arc<Cluster>,
        target: Placement,
        limits: Limits,
        backend: Backend,
    ) -> Result<Self, String> {
        for workload in cluster.workload_indices() {
            let about = &cluster.workloads[workload.index()];
            if is_pinned(&cluster, workload) && target.of(workload) != about.current {
                return Err(format!(
                    "the target moves `{}`, which is not movable. Give a target that leaves it where it is.",
                    about.name
                ));
            }
        }
        let (mut classes, class_of) = classes(&cluster, &target);
        let out_of_service = |place: &Place| !cluster.gpus[place.gpu.index()].maintenance.is_in_service();
        for class in &classes {
            if let Some(place) = class.targets().find(out_of_service) {
                return Err(format!(
                    "the target starts `{}` or one like it at {}, and nothing may start there: the GPU is cordoned or to be drained. Give a \
                     target in which nothing comes to this GPU or moves on it.",
                    cluster.workloads[class.members[0].index()].name,
                    place.name(&cluster)
                ));
            }
        }
        for class in &classes {
            let is_excluded = |place: &Place| !cluster.admits(class.members[0], place.gpu);
            if let Some(place) = class.targets().find(is_excluded) {
                return Err(format!(
                    "the target starts `{}` or one like it at {}, on a node where it may not be. Give a target that keeps to its `nodes` and \
                     `node_selector`.",
                    cluster.workloads[class.members[0].index()].name,
                    place.name(&cluster)
                ));
            }
        }
        let as_one = moving(&cluster, &target, &mut classes, &class_of)?;
        let is_part = |class: &Class| {
            let mut groups = cluster.groups_of(class.members[0]);
            groups.any(|(_, group)| group.rules.as_one)
        };
        let is_part = classes.iter().map(is_part).collect();
        let nodes = nodes(&cluster);
        Ok(Transition { cluster, target, limits, backend, classes, class_of, as_one, is_part, nodes })
    }

    /// The place of a workload at a location.
    pub fn place(&self, workload: WorkloadIndex, location: Location) -> Option<Place> {
        place(&self.cluster, workload, location)
    }

    /// The node of a GPU: its host, or itself.
    pub fn node_of(&self, gpu: GpuIndex) -> usize {
        self.nodes[gpu.index()]
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.iter().max().map_or(0, |last| last + 1)
    }

    /// The GPUs that have to be empty when this one is partitioned anew, by the number of their unit; none where instances are changed
    /// beside each other.
    pub fn unit_of(&self, gpu: GpuIndex) -> Option<usize> {
        match self.backend.unit() {
            Unit::Instance => None,
            Unit::Gpu => Some(gpu.index()),
            Unit::Node => Some(self.node_of(gpu)),
        }
    }

    /// The places that are held now.
    pub fn present(&self) -> impl Iterator<Item = (WorkloadIndex, Place)> + '_ {
        self.cluster.workload_indices().filter_map(|workload| {
            let location = self.cluster.workloads[workload.index()].current?;
            Some((workload, self.place(workload, location)?))
        })
    }

    /// The places that are held for good: by workloads which may not be moved, and those of the target to which nobody could come back, or
    /// which nobody leaves for a while, as others would have to come along.
    pub fn pinned(&self) -> impl Iterator<Item = (WorkloadIndex, Place)> + '_ {
        self.present().filter(|(workload, place)| match self.class_of[workload.index()] {
            None => true,
            Some(class) => {
                (self.is_part[class] || !self.may_enter(class, place.gpu))
                    && self.classes[class].target.contains(place)
            }
        })
    }

    /// Whether workloads may start on a GPU.
    pub fn is_open(&self, gpu: GpuIndex) -> bool {
        self.cluster.gpus[gpu.index()].maintenance.is_in_service()
    }

    /// Whether workloads of a class may start on a GPU: it is in service, and on one of their nodes.
    pub fn may_enter(&self, class: usize, gpu: GpuIndex) -> bool {
        self.is_open(gpu) && self.cluster.admits(self.classes[class].members[0], gpu)
    }

    /// Whether workloads of a class count as one with others, so that they go straight or not at all: none of them takes a temporary
    /// place or is stopped to start later.
    pub fn is_part(&self, class: usize) -> bool {
        self.is_part[class]
    }
}

/// The node of each GPU.
fn nodes(cluster: &Cluster) -> Vec<usize> {
    let hosts = cluster.hosts.len();
    let mut alone = hosts;
    let node = |gpu: &cluster::Gpu| match gpu.host {
        Some(host) => host.index(),
        None => {
            alone += 1;
            alone - 1
        }
    };
    cluster.gpus.iter().map(node).collect_vec()
}
