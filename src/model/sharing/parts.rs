//! What problems consist of: servers, virtual machines, components and ranges of pages.

use crate::cluster::Amount;

#[cfg(doc)]
use super::instance::Problem;

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The index as a position in the problem's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
            /// The index of the position `position` in the problem's list.
            pub fn at(position: usize) -> Self {
                Self(u32::try_from(position).expect("a problem has fewer than 2^32 things of a kind"))
            }
        }
    };
}

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
