//! A validated problem: servers, virtual machines and the pages in their memory.

use super::goal::Goal;
use super::page_classes::PageClasses;
use super::section::Optimum;
use super::sigma::SigmaTable;
use crate::cluster::Amount;

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

/// The sharing-aware packing problem of an instance.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The instance's name.
    pub name: String,
    /// Size of a page in KiB.
    pub page_kib: u64,
    /// Which servers the optimum may use.
    pub optimum: Optimum,
    /// Names of the resources other than memory, ascending.
    pub resources: Vec<String>,
    /// Distinct servers in order of first use: servers of a kind differ in their names alone.
    pub kinds: Vec<ServerKind>,
    /// Servers in the order in which the online algorithms open them.
    pub servers: Vec<Server>,
    /// Virtual machines in the order of the instance, replicas expanded.
    pub vms: Vec<Vm>,
    /// All virtual machines in the order of their arrival.
    pub arrival: Vec<VmIndex>,
    /// Components in the order of their names.
    pub components: Vec<Component>,
    /// The table of shared pages, where the instance gives the content of the memories in this way.
    pub sigma: Option<SigmaTable>,
    /// The pages by the exact set of virtual machines that need them.
    pub page_classes: PageClasses,
}

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

impl Problem {
    /// What a server is like.
    pub fn kind_of(&self, server: ServerIndex) -> &ServerKind {
        &self.kinds[self.servers[server.index()].kind.index()]
    }

    /// A virtual machine.
    pub fn vm(&self, vm: VmIndex) -> &Vm {
        &self.vms[vm.index()]
    }

    /// Indices of all virtual machines, in the order of the instance.
    pub fn vm_indices(&self) -> impl DoubleEndedIterator<Item = VmIndex> + use<> {
        (0..self.vms.len()).map(VmIndex::at)
    }

    /// Indices of all servers, in order.
    pub fn server_indices(&self) -> impl DoubleEndedIterator<Item = ServerIndex> + use<> {
        (0..self.servers.len()).map(ServerIndex::at)
    }

    /// The amount of which all values of a goal are whole multiples; programs count in it.
    pub fn unit(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Reach => Amount::ONE,
            Goal::Servers => Amount::greatest_common_unit(self.kinds.iter().map(|kind| kind.cost)),
        }
    }

    /// Servers of each kind, ascending.
    pub fn servers_by_kind(&self) -> Vec<Vec<ServerIndex>> {
        let mut servers = vec![Vec::new(); self.kinds.len()];
        for server in self.server_indices() {
            servers[self.servers[server.index()].kind.index()].push(server);
        }
        servers
    }

    /// Why a server of this kind cannot host a virtual machine even alone: the first resource that does not suffice, if any.
    pub fn lacks(&self, kind: &ServerKind, vm: VmIndex) -> Option<&str> {
        let vm = self.vm(vm);
        let short =
            |(capacity, request): (&Option<Amount>, &Amount)| capacity.is_some_and(|most| *request > most);
        match kind.capacity.iter().zip(&vm.request).position(short) {
            Some(resource) => Some(&self.resources[resource]),
            None if vm.pages > kind.pages => Some("memory"),
            None => None,
        }
    }
}
