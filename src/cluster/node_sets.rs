//! On which nodes workloads may be.

use super::{Cluster, GpuIndex, NodeSetIndex, OneOrMany, WorkloadIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Labels of a node.
pub type Labels = BTreeMap<String, String>;

/// What a workload asks of its node, as an instance file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct NodeSelector(BTreeMap<String, OneOrMany<String>>);

impl NodeSelector {
    /// A selector from labels and, for each, the values of which a node must have one.
    pub fn new(labels: impl IntoIterator<Item = (String, Vec<String>)>) -> Self {
        NodeSelector(labels.into_iter().map(|(label, values)| (label, OneOrMany::from(values))).collect())
    }

    /// The labels, and for each the values of which a node must have one.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(label, values)| (label.as_str(), values.as_slice()))
    }

    /// Whether a node has all that is asked for.
    pub fn admits(&self, labels: &Labels) -> bool {
        self.labels().all(|(label, values)| labels.get(label).is_some_and(|value| values.contains(value)))
    }
}

/// A set of nodes, as the GPUs on them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeSet {
    /// Per GPU of the cluster: whether it is on one of these nodes.
    pub has_gpu: Vec<bool>,
}

impl Cluster {
    /// Whether a workload may be on the node of a GPU. What is pinned stays where it is all the same.
    pub fn admits(&self, workload: WorkloadIndex, gpu: GpuIndex) -> bool {
        let nodes = self.workloads[workload.index()].particulars().nodes;
        nodes.is_none_or(|nodes| self.node_set_has(nodes, gpu))
    }

    /// The sets of nodes that have the node of a GPU.
    pub fn node_sets_with(&self, gpu: GpuIndex) -> impl Iterator<Item = NodeSetIndex> + '_ {
        let all = (0..self.node_sets.len()).map(NodeSetIndex::at);
        all.filter(move |&nodes| self.node_set_has(nodes, gpu))
    }

    /// Whether a GPU is on one of the nodes of a set.
    pub fn node_set_has(&self, nodes: NodeSetIndex, gpu: GpuIndex) -> bool {
        self.node_sets[nodes.index()].has_gpu[gpu.index()]
    }
}
