//! A validated problem: servers, virtual machines and the pages in their memory.

use super::page_classes::PageClasses;
use super::parts::{Component, Server, ServerIndex, ServerKind, Vm, VmIndex};
use super::sigma::SigmaTable;
use crate::section::Optimum;
use ground::Amount;
use itertools::Itertools;

/// What virtual machines that are alike agree in: exchanging two of them changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Likeness<'p> {
    /// Request by resource of [`Problem::resources`].
    pub request: &'p [Amount],
    /// Pages that each alone needs.
    pub private: u64,
    /// Positions of the page classes that they are in, ascending.
    pub classes: &'p [usize],
}

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

    /// Servers of each kind, ascending.
    pub fn servers_by_kind(&self) -> Vec<Vec<ServerIndex>> {
        let mut servers = vec![Vec::new(); self.kinds.len()];
        for server in self.server_indices() {
            servers[self.servers[server.index()].kind.index()].push(server);
        }
        servers
    }

    /// What a virtual machine has in common with those that are alike.
    pub fn likeness(&self, vm: VmIndex) -> Likeness<'_> {
        Likeness {
            request: &self.vm(vm).request,
            private: self.page_classes.private[vm.index()],
            classes: &self.page_classes.of_vm[vm.index()],
        }
    }

    /// All virtual machines, those together that are alike; groups and their members ascending.
    pub fn alike(&self) -> Vec<Vec<VmIndex>> {
        let groups = self.vm_indices().into_group_map_by(|&vm| self.likeness(vm));
        groups.into_values().sorted().collect()
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
