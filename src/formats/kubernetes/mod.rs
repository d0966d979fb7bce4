//! Objects of Kubernetes as `kubectl get ... -o json` prints them, one by one or as a list, kinds mixed.

mod budget;
mod cluster_node;
pub(crate) mod metadata;
mod pod;
mod quantity;
mod scheduling;
mod selector;

pub use budget::DisruptionBudget;
pub use cluster_node::{ClusterNode, Taint};
pub use pod::{Controller, Pod, Resource};
pub use quantity::Requests;
pub use scheduling::{NodeTerm, Scheduling, Toleration};
pub use selector::{Requirement, Selector};

use super::dra::{ResourceClaim, ResourceSlice};
use super::node::Node;
use super::place::Record;
use ground::{InputError, SourceText};

/// The objects of a file, by kind.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// Pods.
    pub pods: Vec<Record<Pod>>,
    /// Nodes.
    pub nodes: Vec<Record<ClusterNode>>,
    /// Pod disruption budgets.
    pub budgets: Vec<Record<DisruptionBudget>>,
    /// Slices of resources.
    pub slices: Vec<Record<ResourceSlice>>,
    /// Claims of resources.
    pub claims: Vec<Record<ResourceClaim>>,
    /// Number of objects of other kinds.
    pub others: usize,
}

pub(crate) fn recognises(root: Node<'_>) -> bool {
    root.get("kind").is_some() && root.get("apiVersion").is_some()
}

/// Reads the objects.
///
/// # Errors
/// When a field is missing or wrong.
pub fn read(source: &SourceText) -> Result<Objects, InputError> {
    let root = Node::root(source)?;
    let mut objects = Objects::default();
    if root.get("items").is_some() {
        // A list of one kind, such as a PodList, may leave the kind of its items out.
        let kind = root.text_of("kind").and_then(|kind| kind.strip_suffix("List")).unwrap_or_default();
        for item in root.list("items")? {
            objects.add(item, item.text_of("kind").unwrap_or(kind))?;
        }
    } else {
        objects.add(root, root.needed_text("kind")?)?;
    }
    Ok(objects)
}

impl Objects {
    fn add(&mut self, node: Node<'_>, kind: &str) -> Result<(), InputError> {
        let place = node.place();
        match kind {
            "Pod" => self.pods.push(Record { value: Pod::read(node)?, place }),
            "Node" => self.nodes.push(Record { value: ClusterNode::read(node)?, place }),
            "PodDisruptionBudget" => {
                self.budgets.push(Record { value: DisruptionBudget::read(node)?, place })
            }
            "ResourceSlice" => self.slices.push(Record { value: ResourceSlice::read(node)?, place }),
            "ResourceClaim" => self.claims.push(Record { value: ResourceClaim::read(node)?, place }),
            _ => self.others += 1,
        }
        Ok(())
    }

    /// Whether there is nothing that matters here.
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
            && self.nodes.is_empty()
            && self.budgets.is_empty()
            && self.slices.is_empty()
            && self.claims.is_empty()
    }
}

/// A list of objects as `kubectl get -o json` prints it.
pub fn list(items: Vec<serde_json::Value>) -> String {
    format!("{:#}\n", serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items}))
}
