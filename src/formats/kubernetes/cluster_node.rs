//! Nodes: what they have, and whether they take pods.

use super::metadata::{name_of, pairs};
use super::quantity::Requests;
use crate::hami::{self, RegisteredGpu};
use crate::node::Node;
use ground::InputError;
use std::collections::BTreeMap;

/// A node.
#[derive(Clone, Debug, Default)]
pub struct ClusterNode {
    /// Its name.
    pub name: String,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Whether it takes no new pods (`kubectl cordon`).
    pub is_cordoned: bool,
    /// Taints.
    pub taints: Vec<Taint>,
    /// GPUs and MIG devices that pods can have, by resource.
    pub allocatable: BTreeMap<String, u32>,
    /// CPU and main memory that pods can have; `None` where that is not told.
    pub capacity: Option<Requests>,
    /// GPUs as HAMi registers them; `None` without HAMi.
    pub hami: Option<Vec<RegisteredGpu>>,
    /// GPUs to which HAMi sends no more pods.
    pub cordoned_gpus: Vec<String>,
}

/// A taint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value; empty without one.
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

impl ClusterNode {
    pub(super) fn read(node: Node<'_>) -> Result<Self, InputError> {
        let annotation = |name: &str| node.at(&["metadata", "annotations"]).and_then(|all| all.get(name));
        let mut taints = Vec::new();
        for taint in node.get("spec").map_or(Ok(Vec::new()), |spec| spec.list("taints"))? {
            let text = |field| taint.text_of(field).unwrap_or_default().to_owned();
            taints.push(Taint { key: text("key"), value: text("value"), effect: text("effect") });
        }
        let allocatable = node.at(&["status", "allocatable"]).into_iter().flat_map(Node::fields);
        let allocatable = allocatable.filter(|(name, _)| name.starts_with("nvidia.com/"));
        let capacity = node.at(&["status", "allocatable"]).filter(|all| all.get("cpu").is_some());
        Ok(ClusterNode {
            name: name_of(node)?.1,
            capacity: capacity.map(Requests::read).transpose()?,
            labels: pairs(node, "labels"),
            is_cordoned: node.at(&["spec", "unschedulable"]).and_then(Node::text) == Some("true"),
            taints,
            allocatable: allocatable
                .filter_map(|(name, count)| Some((name.to_owned(), count.text()?.parse().ok()?)))
                .collect(),
            hami: annotation(hami::REGISTER).map(hami::read_registered).transpose()?,
            cordoned_gpus: annotation(hami::CORDON)
                .and_then(Node::text)
                .map(hami::listed)
                .unwrap_or_default(),
        })
    }

    /// The product of its GPUs, without what sharing and MIG append.
    pub fn product(&self) -> Option<&str> {
        let product = self.labels.get("nvidia.com/gpu.product")?;
        let product = product.strip_suffix("-SHARED").unwrap_or(product);
        Some(product.split_once("-MIG-").map_or(product, |(product, _)| product))
    }

    /// The one profile of all its instances under strategy `single`, where instances are called `nvidia.com/gpu`.
    pub fn single_profile(&self) -> Option<&str> {
        if self.labels.get("nvidia.com/mig.strategy").map(String::as_str) != Some("single") {
            return None;
        }
        let product = self.labels.get("nvidia.com/gpu.product")?;
        let product = product.strip_suffix("-SHARED").unwrap_or(product);
        let (_, profile) = product.split_once("-MIG-")?;
        (profile != "INVALID").then_some(profile)
    }
}
