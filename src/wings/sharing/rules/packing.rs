//! A packing: which server hosts which virtual machine.

use crate::instance::{ServerIndex, VmIndex};

/// The server of each virtual machine, or none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Packing(Vec<Option<ServerIndex>>);

impl Packing {
    /// A packing by virtual machine, in the order of the instance.
    pub fn new(servers: Vec<Option<ServerIndex>>) -> Self {
        Packing(servers)
    }

    /// No VM has a server.
    pub fn empty(vms: usize) -> Self {
        Packing(vec![None; vms])
    }

    /// The server of a virtual machine.
    pub fn of(&self, vm: VmIndex) -> Option<ServerIndex> {
        self.0[vm.index()]
    }

    /// Puts a virtual machine onto a server, or nowhere.
    pub fn set(&mut self, vm: VmIndex, server: Option<ServerIndex>) {
        self.0[vm.index()] = server;
    }

    /// The virtual machines of each of so many servers, ascending.
    pub fn by_server(&self, servers: usize) -> Vec<Vec<VmIndex>> {
        let mut hosted = vec![Vec::new(); servers];
        for (position, server) in self.0.iter().enumerate() {
            if let Some(server) = server {
                hosted[server.index()].push(VmIndex::at(position));
            }
        }
        hosted
    }
}
