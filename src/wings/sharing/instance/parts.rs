//! What problems consist of: servers, virtual machines, components and ranges of pages.

use ground::{Amount, index_type};

#[cfg(doc)]
use super::problem::Problem;

index_type!(
    /// A server, by its position in [`Problem::servers`].
    ServerIndex
);
index_type!(
    /// A kind of server, by its position in [`Problem::kinds`].
    KindIndex
);
index_type!(
    /// A virtual machine, by its position in [`Problem::vms`].
    VmIndex
);
index_type!(
    /// A component, by its position in [`Problem::components`].
    ComponentIndex
);

/// What servers of a kind have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerKind {
    /// Capacity group, by which reports count.
    pub group: String,
    /// Capacity by resource of [`Problem::resources`]; `None` where it is not limited.
    pub capacity: Vec<Option<Amount>>,
    /// Memory in pages.
    pub pages: u64,
    /// What it counts when it is in use: c_k.
    pub cost: Amount,
}

/// A server.
#[derive(Clone, Debug)]
pub struct Server {
    /// Unique name.
    pub name: String,
    /// What it is like.
    pub kind: KindIndex,
}

/// A virtual machine.
#[derive(Clone, Debug)]
pub struct Vm {
    /// Unique name (`web` or, with several replicas, `web#2`).
    pub name: String,
    /// Type, for readers.
    pub vm_type: Option<String>,
    /// Request by resource of [`Problem::resources`].
    pub request: Vec<Amount>,
    /// Memory in pages, shared or not: q_j^m.
    pub pages: u64,
    /// Components in its memory, ascending.
    pub components: Vec<ComponentIndex>,
    /// Ranges of numbered pages in its memory, ascending and disjoint.
    pub ranges: Vec<PageRange>,
    /// Pages that are in neither a component nor a range: its own, except for what the table of shared pages says.
    pub own_pages: u64,
}

/// Consecutive page numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageRange {
    /// The first.
    pub first: u64,
    /// The last; not before the first.
    pub last: u64,
}

impl PageRange {
    /// How many there are.
    pub fn pages(self) -> u64 {
        self.last - self.first + 1
    }
}

/// A piece of software.
#[derive(Clone, Debug)]
pub struct Component {
    /// Unique name.
    pub name: String,
    /// Pages that it brings.
    pub pages: u64,
}
