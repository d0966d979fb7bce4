//! The state of the servers while virtual machines are put onto them, one after the other.

use super::super::instance::Problem;
use super::super::packing::Packing;
use super::super::parts::{ServerIndex, VmIndex};
use crate::cluster::Amount;

/// What is left of each server and who is on it.
#[derive(Clone)]
pub struct State<'p> {
    problem: &'p Problem,
    /// Whether pages that are there already need no memory again.
    sharing: bool,
    /// Pages of each class of [`PageClasses::shared`](super::super::page_classes::PageClasses::shared).
    class_pages: Vec<u64>,
    servers: Vec<Rest>,
}

#[derive(Clone)]
struct Rest {
    /// What is left of each resource; `None` where it is not limited.
    resources: Vec<Option<Amount>>,
    /// Pages left.
    pages: u64,
    /// How many of those here need the pages of a class; empty as long as nobody has come.
    holders: Vec<u32>,
    vms: Vec<VmIndex>,
}

impl<'p> State<'p> {
    /// Nobody has a server yet.
    pub fn new(problem: &'p Problem, sharing: bool) -> Self {
        let rest = |server: ServerIndex| {
            let kind = problem.kind_of(server);
            Rest { resources: kind.capacity.clone(), pages: kind.pages, holders: Vec::new(), vms: Vec::new() }
        };
        State {
            problem,
            sharing,
            class_pages: problem.page_classes.shared.iter().map(|class| class.pages).collect(),
            servers: problem.server_indices().map(rest).collect(),
        }
    }

    /// The problem.
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// Those on a server, in no particular order.
    pub fn vms(&self, server: ServerIndex) -> &[VmIndex] {
        &self.servers[server.index()].vms
    }

    /// Whether a server hosts a virtual machine.
    pub fn is_active(&self, server: ServerIndex) -> bool {
        !self.vms(server).is_empty()
    }

    /// What is left of each resource of a server; `None` where it is not limited.
    pub fn resources(&self, server: ServerIndex) -> &[Option<Amount>] {
        &self.servers[server.index()].resources
    }

    /// Pages left on a server.
    pub fn pages(&self, server: ServerIndex) -> u64 {
        self.servers[server.index()].pages
    }

    /// `s_j^k`: pages of a virtual machine that a server holds already, 0 where sharing is not considered.
    pub fn shared(&self, server: ServerIndex, vm: VmIndex) -> u64 {
        let holders = &self.servers[server.index()].holders;
        if holders.is_empty() {
            return 0;
        }
        let classes = &self.problem.page_classes.of_vm[vm.index()];
        classes.iter().filter(|&&class| holders[class] > 0).map(|&class| self.class_pages[class]).sum()
    }

    /// Whether there is room for a virtual machine: rows (1) and (2).
    pub fn fits(&self, server: ServerIndex, vm: VmIndex) -> bool {
        let rest = &self.servers[server.index()];
        let about = self.problem.vm(vm);
        let enough = |(left, request): (&Option<Amount>, &Amount)| left.is_none_or(|left| *request <= left);
        rest.resources.iter().zip(&about.request).all(enough)
            && (about.pages <= rest.pages || about.pages <= rest.pages + self.shared(server, vm))
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

    /// Takes what a virtual machine needs off what is left, without writing it down among those on the server.
    pub fn claim(&mut self, server: ServerIndex, vm: VmIndex) {
        let shared = self.shared(server, vm);
        let about = self.problem.vm(vm);
        let rest = &mut self.servers[server.index()];
        for (left, request) in rest.resources.iter_mut().zip(&about.request) {
            *left = left.map(|left| left - *request);
        }
        rest.pages -= about.pages - shared;
        if self.sharing {
            rest.holders.resize(self.class_pages.len(), 0);
            for &class in &self.problem.page_classes.of_vm[vm.index()] {
                rest.holders[class] += 1;
            }
        }
    }

    /// Undoes [`claim`](State::claim).
    pub fn release(&mut self, server: ServerIndex, vm: VmIndex) {
        let about = self.problem.vm(vm);
        let rest = &mut self.servers[server.index()];
        for (left, request) in rest.resources.iter_mut().zip(&about.request) {
            *left = left.map(|left| left + *request);
        }
        if self.sharing {
            for &class in &self.problem.page_classes.of_vm[vm.index()] {
                rest.holders[class] -= 1;
            }
        }
        let shared = self.shared(server, vm);
        self.servers[server.index()].pages += about.pages - shared;
    }

    /// Who is where.
    pub fn packing(&self) -> Packing {
        let mut packing = Packing::empty(self.problem.vms.len());
        for (server, rest) in self.problem.server_indices().zip(&self.servers) {
            rest.vms.iter().for_each(|&vm| packing.set(vm, Some(server)));
        }
        packing
    }
}
