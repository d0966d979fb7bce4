//! Pods: who waits, who runs where, who made them, and what must not be done to them.

use super::metadata::{name_of, pairs};
use super::quantity::Requests;
use super::scheduling::Scheduling;
use crate::hami::{self, Allocation};
use crate::node::Node;
use ground::{Fingerprint, InputError};
use std::collections::BTreeMap;

/// A pod.
#[derive(Clone, Debug, Default)]
pub struct Pod {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its UID.
    pub uid: String,
    /// The node that it was sent to.
    pub node: Option<String>,
    /// `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`.
    pub phase: String,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Who makes it anew when it is gone.
    pub controller: Option<Controller>,
    /// What forbids that it is evicted: an annotation with its value.
    pub forbids_eviction: Option<String>,
    /// A fingerprint of its containers: those of one template have the same.
    pub template: String,
    /// GPUs and MIG devices that its containers ask for.
    pub resources: Vec<Resource>,
    /// Names of its resource claims.
    pub claims: Vec<String>,
    /// Where it may be.
    pub scheduling: Scheduling,
    /// CPU and main memory that it asks for.
    pub requests: Requests,
    /// The node of HAMi's annotation.
    pub hami_node: Option<String>,
    /// HAMi's allocations; `None` without the annotation.
    pub hami: Option<Vec<Allocation>>,
    /// Whether HAMi cuts instances for it.
    pub is_hami_mig: bool,
}

/// Who makes a pod anew.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Controller {
    /// `ReplicaSet`, `StatefulSet`, `Job`, `DaemonSet`, ...
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// A resource that a container asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The container.
    pub container: String,
    /// The resource, such as `nvidia.com/mig-1g.5gb`.
    pub name: String,
    /// How many.
    pub count: u32,
}

/// Annotations that forbid eviction, with the value that does.
const FORBIDS: [(&str, &str); 3] = [
    ("karpenter.sh/do-not-disrupt", "true"),
    ("karpenter.sh/do-not-evict", "true"),
    ("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"),
];

/// The fields of a container that its template gives; what is mounted differs from pod to pod.
const OF_TEMPLATE: [&str; 6] = ["name", "image", "command", "args", "env", "resources"];

impl Pod {
    pub(super) fn read(node: Node<'_>) -> Result<Self, InputError> {
        let (namespace, name) = name_of(node)?;
        let annotations = node.at(&["metadata", "annotations"]);
        let annotation = |name: &str| annotations.and_then(|all| all.get(name));
        let forbids =
            FORBIDS.iter().find(|(name, value)| annotation(name).and_then(Node::text) == Some(value));
        let hami = annotation(hami::ALLOCATIONS);
        let spec = node.get("spec");
        let listed = |field| spec.map_or(Ok(Vec::new()), |spec| spec.list(field));
        let mut spelled = String::new();
        let mut resources = Vec::new();
        for container in listed("containers")?.into_iter().chain(listed("initContainers")?) {
            for field in OF_TEMPLATE {
                if let Some(value) = container.get(field) {
                    value.spelled(&mut spelled);
                }
            }
            of_container(container, &mut resources)?;
        }
        let controller = controller(node)?;
        let claims = listed("resourceClaims")?;
        Ok(Pod {
            uid: node.needed("metadata")?.text_of("uid").unwrap_or_default().to_owned(),
            node: spec
                .and_then(|spec| spec.text_of("nodeName"))
                .filter(|node| !node.is_empty())
                .map(str::to_owned),
            phase: node.at(&["status", "phase"]).and_then(Node::text).unwrap_or_default().to_owned(),
            labels: pairs(node, "labels"),
            forbids_eviction: forbids.map(|(name, value)| format!("{name}: {value}")),
            // Only pods that a controller made have others like them.
            template: if controller.is_some() { Fingerprint::of(&spelled) } else { String::new() },
            controller,
            resources,
            scheduling: spec.map(Scheduling::read).transpose()?.unwrap_or_default(),
            requests: spec.map(Requests::of_pod).transpose()?.unwrap_or_default(),
            claims: claims
                .into_iter()
                .filter_map(|claim| claim.text_of("resourceClaimName"))
                .map(str::to_owned)
                .collect(),
            hami_node: annotation(hami::NODE).and_then(Node::text).map(str::to_owned),
            hami: hami.map(hami::read_allocations).transpose()?,
            is_hami_mig: annotation(hami::MODE).and_then(Node::text) == Some("mig"),
            namespace,
            name,
        })
    }

    /// Namespace and name.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Whether it has ended, so that it holds nothing.
    pub fn is_over(&self) -> bool {
        matches!(self.phase.as_str(), "Succeeded" | "Failed")
    }

    /// Whether it waits for a node.
    pub fn waits(&self) -> bool {
        self.node.is_none() && !self.is_over()
    }
}

fn controller(node: Node<'_>) -> Result<Option<Controller>, InputError> {
    for owner in node.needed("metadata")?.list("ownerReferences")? {
        if owner.text_of("controller") == Some("true") {
            let (kind, name) = (owner.needed_text("kind")?, owner.needed_text("name")?);
            return Ok(Some(Controller { kind: kind.to_owned(), name: name.to_owned() }));
        }
    }
    Ok(None)
}

fn of_container(container: Node<'_>, resources: &mut Vec<Resource>) -> Result<(), InputError> {
    let Some(limits) = container.at(&["resources", "limits"]) else { return Ok(()) };
    for (name, count) in limits.fields().filter(|(name, _)| name.starts_with("nvidia.com/")) {
        let number = count.text().and_then(|text| text.parse().ok());
        let count = number.ok_or_else(|| {
            count.error(format!("`{name}` must be a whole number, as extended resources of Kubernetes are. Export the pods again."))
        })?;
        if count > 0 {
            let container = container.needed_text("name")?.to_owned();
            resources.push(Resource { container, name: name.to_owned(), count });
        }
    }
    Ok(())
}
