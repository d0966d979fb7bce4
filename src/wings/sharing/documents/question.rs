//! A problem with everything resolved, for programs that do not want to know defaults and replicas.

use crate::instance::{Problem, ServerIndex, VmIndex};
use crate::section::Optimum;
use ground::Amount;
use kit::InstanceReference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The question that an external heuristic reads: the instance with counts and replicas expanded, memories in pages, and the
/// content of the memories as page classes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt question of model sharing")]
pub struct QuestionDocument {
    /// The model: `sharing`.
    pub model: String,
    /// The instance; a solution repeats this entry.
    pub instance: InstanceReference,
    /// Seed for whatever is random; the same seed must give the same answer.
    pub seed: u64,
    /// Which servers the optimum may use.
    pub optimum: Optimum,
    /// Size of a page in KiB.
    pub page_kib: u64,
    /// Servers in the order in which the online algorithms open them.
    pub servers: Vec<QuestionServer>,
    /// Virtual machines in the order of the instance.
    pub vms: Vec<QuestionVm>,
    /// Names of all virtual machines in the order of their arrival.
    pub arrival: Vec<String>,
    /// Pages that exactly the virtual machines of a set of two or more need. A server needs the pages of every class of which
    /// it hosts a member, once, and the private pages of those that it hosts.
    pub page_classes: Vec<QuestionPageClass>,
}

/// A server.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionServer {
    /// Name.
    pub name: String,
    /// Capacity group.
    pub group: String,
    /// Capacities of the resources other than memory; one left out is not limited.
    pub capacity: BTreeMap<String, Amount>,
    /// Memory in pages.
    pub pages: u64,
    /// What it counts when it is in use.
    pub cost: Amount,
}

/// A virtual machine.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionVm {
    /// Name.
    pub name: String,
    /// Requests of the resources other than memory.
    pub request: BTreeMap<String, Amount>,
    /// Memory in pages, shared or not.
    pub pages: u64,
    /// Pages that it alone needs.
    pub private_pages: u64,
}

/// Pages that the same virtual machines need.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionPageClass {
    /// Names of the virtual machines.
    pub vms: Vec<String>,
    /// Number of pages.
    pub pages: u64,
}

impl QuestionDocument {
    /// Writes a problem down.
    pub fn new(problem: &Problem, fingerprint: &str, seed: u64) -> Self {
        let named = |amounts: Vec<Option<Amount>>| {
            let entries = problem.resources.iter().cloned().zip(amounts);
            entries.filter_map(|(name, amount)| Some((name, amount?))).collect()
        };
        let server = |index: ServerIndex| {
            let kind = problem.kind_of(index);
            QuestionServer {
                name: problem.servers[index.index()].name.clone(),
                group: kind.group.clone(),
                capacity: named(kind.capacity.clone()),
                pages: kind.pages,
                cost: kind.cost,
            }
        };
        let vm = |index: VmIndex| {
            let vm = problem.vm(index);
            QuestionVm {
                name: vm.name.clone(),
                request: named(vm.request.iter().copied().map(Some).collect()),
                pages: vm.pages,
                private_pages: problem.page_classes.private[index.index()],
            }
        };
        let names = |vms: &[VmIndex]| vms.iter().map(|&vm| problem.vm(vm).name.clone()).collect();
        QuestionDocument {
            model: "sharing".to_owned(),
            instance: InstanceReference::new(&problem.name, fingerprint),
            seed,
            optimum: problem.optimum,
            page_kib: problem.page_kib,
            servers: problem.server_indices().map(server).collect(),
            vms: problem.vm_indices().map(vm).collect(),
            arrival: names(&problem.arrival),
            page_classes: problem
                .page_classes
                .shared
                .iter()
                .map(|class| QuestionPageClass { vms: names(&class.vms), pages: class.pages })
                .collect(),
        }
    }
}
