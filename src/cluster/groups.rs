//! Workloads that keep apart, or belong together.

use super::{Cluster, GpuIndex, GroupIndex, HostIndex, WorkloadIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What workloads may share: a GPU, or a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SiteKind {
    /// A host with all of its GPUs; a GPU outside any host is a node of its own.
    Node,
    /// A single GPU.
    Gpu,
}

/// A node or a GPU. Those of one kind are in the order of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// A host with all of its GPUs.
    Host(HostIndex),
    /// A GPU: as such, or as the node that it is outside any host.
    Gpu(GpuIndex),
}

/// Workloads with rules for all of them together. A group of which nothing is asked is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupSection {
    /// Name, by which workloads refer to it as `group`.
    pub name: String,
    /// No two of its workloads on one node, or on one GPU. What is pinned stays where it is; nothing else joins it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<SiteKind>,
    /// All of its workloads that have a place on one node, or on one GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<SiteKind>,
    /// Whether its workloads are placed all or not at all, and count as moved, or as disrupted, all as soon as one of them is: the
    /// instances of a pod that has several.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_one: bool,
}

/// A group of workloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What the instance asks of it.
    pub rules: GroupSection,
    /// Its workloads, in ascending order.
    pub members: Vec<WorkloadIndex>,
}

impl Group {
    /// Whether there is a rule for its workloads.
    pub fn asks_anything(&self) -> bool {
        let GroupSection { name: _, apart, together, as_one } = &self.rules;
        apart.is_some() || together.is_some() || *as_one
    }
}

impl Cluster {
    /// The node or the GPU to which a GPU belongs.
    pub fn site_of(&self, gpu: GpuIndex, kind: SiteKind) -> Site {
        match (kind, self.gpus[gpu.index()].host) {
            (SiteKind::Node, Some(host)) => Site::Host(host),
            (SiteKind::Node, None) | (SiteKind::Gpu, _) => Site::Gpu(gpu),
        }
    }

    /// The name of a node or a GPU.
    pub fn site_name(&self, site: Site) -> &str {
        match site {
            Site::Host(host) => &self.hosts[host.index()].name,
            Site::Gpu(gpu) => &self.gpus[gpu.index()].name,
        }
    }

    /// The groups to which a workload belongs.
    pub fn groups_of(&self, workload: WorkloadIndex) -> impl Iterator<Item = (GroupIndex, &Group)> + '_ {
        let groups = &self.workloads[workload.index()].particulars().groups;
        groups.iter().map(|&group| (group, &self.groups[group.index()]))
    }
}
