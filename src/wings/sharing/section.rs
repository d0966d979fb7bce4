//! The `sharing` section of an instance file, as it stands in YAML.

use ground::{Amount, Located};
use kit::{Choice, Choices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `sharing` section: servers, virtual machines and the memory pages that they have in common.
///
/// What the memory of the virtual machines consists of is said in one of three ways: by `components` and `page_ranges`, which
/// can be mixed, or by a table `shared_pages`. Without any of them nothing is shared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SharingSection")]
pub struct Section {
    /// Size of a memory page in KiB.
    #[serde(default = "usual_page")]
    pub page_kib: u64,
    /// Which servers the optimum may use.
    #[serde(default)]
    pub optimum: Optimum,
    /// Servers in the order in which the online algorithms open them.
    #[schemars(with = "Vec<ServerSection>")]
    pub servers: Vec<Located<ServerSection>>,
    /// Pieces of software by name, with the pages that each brings; virtual machines on one server share them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub components: BTreeMap<String, Located<u64>>,
    /// Virtual machines, each of which needs a server.
    #[schemars(with = "Vec<VmSection>")]
    pub vms: Vec<Located<VmSection>>,
    /// The table of the paper's sharing parameters sigma: pages common to ALL virtual machines of a set of two or more. Sets
    /// that are not listed have none in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<SharedPages>")]
    pub shared_pages: Vec<Located<SharedPages>>,
    /// All virtual machines in the order of their arrival; by default the order in which they are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    pub arrival: Option<Vec<Located<String>>>,
}

/// Which servers the optimum may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Optimum {
    /// Any of them, as printed: row (4) minimises only the servers in use.
    #[default]
    AnyServers,
    /// The first m of the order, with m as small as possible, and of those as few as possible.
    FirstMOfTheOrder,
}

impl Choices for Optimum {
    const ALL: &'static [Choice<Optimum>] = &[
        Choice {
            name: "any-servers",
            help: "any of them, as printed: row (4) minimises only the servers in use",
            value: Optimum::AnyServers,
        },
        Choice {
            name: "first-m-of-the-order",
            help: "the first m of the order, with m as small as possible, and of those as few as possible",
            value: Optimum::FirstMOfTheOrder,
        },
    ];
}

/// A server, or several alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerSection {
    /// Name; with `count`, the servers are called `name-0`, `name-1`, …
    pub name: String,
    /// Number of identical servers; one, without a number in its name, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Capacity group, by which reports count; by default the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Memory in GiB, rounded down to whole pages; give this or `memory_pages`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<Amount>,
    /// Memory in pages, instead of `memory_gib`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_pages: Option<u64>,
    /// Capacities of the other resources by name, such as `{cpu: 24, storage_gib: 500}`; one left out is not limited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capacity: BTreeMap<String, Amount>,
    /// What the server counts when it is in use (c_k of the paper's goal (4)).
    #[serde(default = "unit_cost", skip_serializing_if = "is_unit_cost")]
    pub cost: Amount,
}

/// A virtual machine, or several alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VmSection {
    /// Name; with `replicas`, the virtual machines are called `name#0`, `name#1`, …
    pub name: String,
    /// Number of virtual machines with the same requests and the same content, each with private pages of its own; one, without a
    /// number in its name, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// Type, for readers, such as `n1s1`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub vm_type: Option<String>,
    /// Memory in GiB, rounded up to whole pages; what the content does not account for is private. Give this or `memory_pages`;
    /// without them the memory is the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<Amount>,
    /// Memory in pages, instead of `memory_gib`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_pages: Option<u64>,
    /// Requests of the other resources by name, such as `{cpu: 4}`; one left out is not needed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub request: BTreeMap<String, Amount>,
    /// The components in its memory, by their names under `components` of the section.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<String>,
    /// Ranges `[first, last]` of numbers of pages in its memory, both ends included; the same number is the same page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_ranges: Vec<[u64; 2]>,
}

/// How many pages a set of virtual machines has in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedPages {
    /// The set: names of two or more virtual machines.
    pub vms: Vec<String>,
    /// Pages that all of them need.
    pub pages: u64,
}

fn usual_page() -> u64 {
    4
}

fn unit_cost() -> Amount {
    Amount::ONE
}

fn is_unit_cost(cost: &Amount) -> bool {
    *cost == Amount::ONE
}
