//! Where a pod may be: what it asks of its node, and of the pods beside it.

use super::cluster_node::Taint;
use super::selector::{Requirement, Selector};
use crate::node::Node;
use ground::InputError;
use std::collections::BTreeMap;

/// Where a pod may be. What is preferred, but not required, is not here.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scheduling {
    /// Labels that its node must have (`nodeSelector`).
    pub node_selector: Vec<Requirement>,
    /// Its required node affinity: one of these must hold; `None` without any.
    pub node_affinity: Option<Vec<NodeTerm>>,
    /// Which taints it bears.
    pub tolerations: Vec<Toleration>,
    /// Pods from which it keeps apart, by what they may not share.
    pub apart: Vec<PodTerm>,
    /// How many rules it has of which an instance file knows nothing: required affinity to other pods, and hard topology spread.
    pub others: usize,
}

/// What a node must have; empty terms hold of none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeTerm {
    /// What is asked of labels.
    pub labels: Vec<Requirement>,
    /// What is asked of the node's name.
    pub names: Vec<Requirement>,
}

/// Pods, and what may not be shared with them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodTerm {
    /// Which pods.
    pub selector: Selector,
    /// The label of nodes whose value may not be the same, such as `kubernetes.io/hostname`.
    pub topology: String,
    /// Whether other namespaces than the pod's own are meant.
    pub is_abroad: bool,
}

/// A taint that a pod bears.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toleration {
    key: Option<String>,
    /// `None` with operator `Exists`.
    value: Option<String>,
    effect: Option<String>,
}

impl Scheduling {
    pub(super) fn read(spec: Node<'_>) -> Result<Self, InputError> {
        let mut found = Scheduling::default();
        for (label, value) in spec.get("nodeSelector").into_iter().flat_map(Node::fields) {
            found.node_selector.push(Requirement::equals(label, value.text().unwrap_or_default()));
        }
        for toleration in spec.list("tolerations")? {
            found.tolerations.push(Toleration::read(toleration));
        }
        for spread in spec.list("topologySpreadConstraints")? {
            found.others += usize::from(spread.text_of("whenUnsatisfiable") != Some("ScheduleAnyway"));
        }
        let Some(affinity) = spec.get("affinity") else { return Ok(found) };
        const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
        if let Some(required) = affinity.at(&["nodeAffinity", REQUIRED]) {
            let terms = required.list("nodeSelectorTerms")?.into_iter().map(NodeTerm::read);
            found.node_affinity = Some(terms.collect::<Result<_, _>>()?);
        }
        if let Some(keeps_apart) = affinity.get("podAntiAffinity") {
            for term in keeps_apart.list(REQUIRED)? {
                found.apart.push(PodTerm::read(term)?);
            }
        }
        if let Some(keeps_close) = affinity.get("podAffinity") {
            found.others += keeps_close.list(REQUIRED)?.len();
        }
        Ok(found)
    }

    /// Whether nothing is asked of a node but that it has no taint that the pod does not bear.
    pub fn asks_no_label(&self) -> bool {
        self.node_selector.is_empty() && self.node_affinity.is_none()
    }

    /// Whether a node has what is asked of its labels and its name.
    pub fn selects(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        let has = |asked: &Requirement| asked.allows(labels.get(&asked.key).map(String::as_str));
        let holds = |term: &NodeTerm| {
            !(term.labels.is_empty() && term.names.is_empty())
                && term.labels.iter().all(has)
                && term.names.iter().all(|asked| asked.allows(Some(name)))
        };
        self.node_selector.iter().all(has)
            && self.node_affinity.as_ref().is_none_or(|terms| terms.iter().any(holds))
    }

    /// Whether it bears a taint, so that it may come.
    pub fn bears(&self, taint: &Taint) -> bool {
        taint.effect == "PreferNoSchedule"
            || self.tolerations.iter().any(|toleration| toleration.bears(taint))
    }
}

impl NodeTerm {
    fn read(term: Node<'_>) -> Result<Self, InputError> {
        let read = |field| -> Result<Vec<Requirement>, InputError> {
            term.list(field)?.into_iter().map(Requirement::read).collect()
        };
        Ok(NodeTerm { labels: read("matchExpressions")?, names: read("matchFields")? })
    }
}

impl PodTerm {
    fn read(term: Node<'_>) -> Result<Self, InputError> {
        let selector = term.get("labelSelector").map(Selector::read).transpose()?;
        Ok(PodTerm {
            selector: selector.unwrap_or(Selector::Nobody),
            topology: term.text_of("topologyKey").unwrap_or_default().to_owned(),
            is_abroad: term.get("namespaceSelector").is_some() || !term.list("namespaces")?.is_empty(),
        })
    }
}

impl Toleration {
    fn read(toleration: Node<'_>) -> Self {
        let text = |field| toleration.text_of(field).filter(|text| !text.is_empty()).map(str::to_owned);
        let exists = toleration.text_of("operator") == Some("Exists");
        let value = toleration.text_of("value").unwrap_or_default().to_owned();
        Toleration { key: text("key"), value: (!exists).then_some(value), effect: text("effect") }
    }

    fn bears(&self, taint: &Taint) -> bool {
        let Toleration { key, value, effect } = self;
        let has_key = match key {
            Some(key) => *key == taint.key,
            // Without a key, only `Exists` says something: all taints.
            None => value.is_none(),
        };
        has_key
            && value.as_ref().is_none_or(|value| *value == taint.value)
            && effect.as_ref().is_none_or(|effect| *effect == taint.effect)
    }
}
