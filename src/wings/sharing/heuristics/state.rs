//! The state of the servers while virtual machines are put onto them, one after the other.

use crate::instance::{PageClass, Problem, ServerIndex, VmIndex};
use crate::rules::{Need, Packing, Room};
use ground::Amount;

/// What is left of each server, and the VMs on it.
#[derive(Clone)]
pub struct State<'p> {
    problem: &'p Problem,
    /// Whether pages that are there already need no memory again.
    sharing: bool,
    servers: Vec<Server>,
}

#[derive(Clone)]
struct Server {
    room: Room<Amount>,
    vms: Vec<VmIndex>,
}

impl<'p> State<'p> {
    /// No VM has a server yet.
    pub fn new(problem: &'p Problem, sharing: bool) -> Self {
        let empty = |server: ServerIndex| {
            let kind = problem.kind_of(server);
            Server { room: Room::new(kind.capacity.clone(), kind.pages), vms: Vec::new() }
        };
        State { problem, sharing, servers: problem.server_indices().map(empty).collect() }
    }

    /// The problem.
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    fn page_classes(&self) -> &'p [PageClass] {
        &self.problem.page_classes.shared
    }

    fn need(&self, vm: VmIndex) -> Need<'p, Amount> {
        let about = self.problem.vm(vm);
        let classes: &[usize] = if self.sharing { &self.problem.page_classes.of_vm[vm.index()] } else { &[] };
        Need { request: &about.request, pages: about.pages, classes }
    }

    fn room(&self, server: ServerIndex) -> &Room<Amount> {
        &self.servers[server.index()].room
    }

    /// The VMs on a server, in no particular order.
    pub fn vms(&self, server: ServerIndex) -> &[VmIndex] {
        &self.servers[server.index()].vms
    }

    /// Whether a server hosts a virtual machine.
    pub fn is_active(&self, server: ServerIndex) -> bool {
        !self.vms(server).is_empty()
    }

    /// What is left of each resource of a server; `None` where it is not limited.
    pub fn resources(&self, server: ServerIndex) -> &[Option<Amount>] {
        &self.room(server).resources
    }

    /// Pages left on a server.
    pub fn pages(&self, server: ServerIndex) -> u64 {
        self.room(server).pages
    }

    /// `s_j^k`: pages of a virtual machine that a server holds already, 0 where sharing is not considered.
    pub fn shared(&self, server: ServerIndex, vm: VmIndex) -> u64 {
        self.room(server).shared(&self.need(vm), self.page_classes())
    }

    /// Whether there is room for a virtual machine: rows (1) and (2).
    pub fn fits(&self, server: ServerIndex, vm: VmIndex) -> bool {
        self.room(server).fits(&self.need(vm), self.page_classes())
    }

    /// Puts a virtual machine onto a server where it fits.
    pub fn put(&mut self, server: ServerIndex, vm: VmIndex) {
        self.claim(server, vm);
        self.servers[server.index()].vms.push(vm);
    }

    /// Takes a virtual machine off its server.
    pub fn take(&mut self, server: ServerIndex, vm: VmIndex) {
        self.release(server, vm);
        let vms = &mut self.servers[server.index()].vms;
        if let Some(position) = vms.iter().position(|&other| other == vm) {
            vms.swap_remove(position);
        }
    }

    /// Takes what a virtual machine needs off what is left, without writing it down among the VMs on the server.
    pub fn claim(&mut self, server: ServerIndex, vm: VmIndex) {
        let (need, classes) = (self.need(vm), self.page_classes());
        self.servers[server.index()].room.claim(&need, classes);
    }

    /// Undoes [`claim`](State::claim).
    pub fn release(&mut self, server: ServerIndex, vm: VmIndex) {
        let (need, classes) = (self.need(vm), self.page_classes());
        self.servers[server.index()].room.release(&need, classes);
    }

    /// The server of each VM.
    pub fn packing(&self) -> Packing {
        let mut packing = Packing::empty(self.problem.vms.len());
        for (server, about) in self.problem.server_indices().zip(&self.servers) {
            about.vms.iter().for_each(|&vm| packing.set(vm, Some(server)));
        }
        packing
    }
}
