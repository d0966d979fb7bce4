//! A server that is being filled with virtual machines by type.

use super::pattern::Pattern;
use super::types::Types;
use crate::instance::PageClass;
use crate::rules::{Need, Room};

/// What is on a server of a kind and what room is left.
pub struct Filling<'t> {
    pub types: &'t Types<'t>,
    /// Virtual machines by type.
    pub count: Vec<u32>,
    /// What is left.
    pub room: Room<i128>,
}

impl<'t> Filling<'t> {
    /// An empty server.
    pub fn new(types: &'t Types<'t>, kind: usize) -> Self {
        let server = types.kinds[kind].0;
        let pages = types.problem.kinds[server.index()].pages;
        Filling {
            types,
            count: vec![0; types.vms.len()],
            room: Room::new(types.units.capacity(server).to_vec(), pages),
        }
    }

    /// A server with a pattern.
    pub fn of(types: &'t Types<'t>, kind: usize, pattern: &Pattern) -> Self {
        let mut filling = Filling::new(types, kind);
        for &(vm_type, count) in &pattern.0 {
            (0..count).for_each(|_| filling.take(vm_type));
        }
        filling
    }

    fn page_classes(&self) -> &'t [PageClass] {
        &self.types.problem.page_classes.shared
    }

    fn need(&self, vm_type: usize) -> Need<'t, i128> {
        let vm = self.types.example(vm_type);
        Need {
            request: self.types.units.request(vm),
            pages: self.types.problem.vm(vm).pages,
            classes: self.types.classes(vm_type),
        }
    }

    /// Pages that one more of a type would take.
    pub fn pages(&self, vm_type: usize) -> u64 {
        let need = self.need(vm_type);
        need.pages - self.room.shared(&need, self.page_classes())
    }

    /// Whether there is one more of a type, and room for it.
    pub fn fits(&self, vm_type: usize) -> bool {
        self.count[vm_type] < self.types.number(vm_type)
            && self.room.fits(&self.need(vm_type), self.page_classes())
    }

    /// How many more of a type there are and have room.
    pub fn most(&self, vm_type: usize) -> u32 {
        let mut most = i128::from(self.types.number(vm_type) - self.count[vm_type]);
        let need = self.need(vm_type);
        for (left, &request) in self.room.resources.iter().zip(need.request) {
            if let Some(left) = left.filter(|_| request > 0) {
                most = most.min(left / request);
            }
        }
        let private =
            i128::from(self.types.problem.page_classes.private[self.types.example(vm_type).index()]);
        let shared = i128::from(self.pages(vm_type)) - private;
        if private > 0 {
            most = most.min((i128::from(self.room.pages) - shared).max(0) / private);
        }
        most as u32
    }

    /// Adds one of a type, which must fit.
    pub fn take(&mut self, vm_type: usize) {
        self.room.claim(&self.need(vm_type), self.page_classes());
        self.count[vm_type] += 1;
    }

    /// Removes one of a type that is here.
    pub fn put_back(&mut self, vm_type: usize) {
        self.room.release(&self.need(vm_type), self.page_classes());
        self.count[vm_type] -= 1;
    }

    /// Whether no virtual machine can be added.
    pub fn is_maximal(&self) -> bool {
        !(0..self.count.len()).any(|vm_type| self.fits(vm_type))
    }

    /// What is here.
    pub fn pattern(&self) -> Pattern {
        let held = self.count.iter().copied().enumerate();
        Pattern(held.filter(|&(_, count)| count > 0).collect())
    }
}
