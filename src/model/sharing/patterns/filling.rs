//! A server that is being filled with virtual machines.

use super::Pattern;
use super::types::Types;

/// What is on a server of a kind and what room is left.
pub struct Filling<'t> {
    pub types: &'t Types<'t>,
    pub kind: usize,
    /// Virtual machines by type.
    pub count: Vec<u32>,
    /// What is left, by resource; `None` where there is no limit.
    pub left: Vec<Option<i128>>,
    /// Pages left.
    pub pages_left: i128,
    /// Virtual machines here by class that they are in.
    members: Vec<u32>,
}

impl<'t> Filling<'t> {
    /// An empty server.
    pub fn new(types: &'t Types<'t>, kind: usize) -> Self {
        let server = types.kinds[kind].0;
        Filling {
            types,
            kind,
            count: vec![0; types.vms.len()],
            left: types.units.capacity(server).to_vec(),
            pages_left: i128::from(types.problem.kinds[server.index()].pages),
            members: vec![0; types.problem.page_classes.shared.len()],
        }
    }

    /// Whether nobody here needs the pages of a class.
    pub fn lacks(&self, class: usize) -> bool {
        self.members[class] == 0
    }

    /// Pages that one more of a type would take.
    pub fn pages(&self, vm_type: usize) -> i128 {
        let vm = self.types.example(vm_type).index();
        let classes = &self.types.problem.page_classes;
        let new = classes.of_vm[vm].iter().filter(|&&class| self.lacks(class));
        i128::from(classes.private[vm] + new.map(|&class| classes.shared[class].pages).sum::<u64>())
    }

    /// Whether there is one more of a type, and room for it.
    pub fn fits(&self, vm_type: usize) -> bool {
        let request = self.types.units.request(self.types.example(vm_type));
        self.count[vm_type] < self.types.number(vm_type)
            && self.left.iter().zip(request).all(|(left, request)| left.is_none_or(|left| left >= *request))
            && self.pages(vm_type) <= self.pages_left
    }

    /// Adds one of a type, which must fit.
    pub fn take(&mut self, vm_type: usize) {
        self.pages_left -= self.pages(vm_type);
        self.count[vm_type] += 1;
        let vm = self.types.example(vm_type);
        for &class in &self.types.problem.page_classes.of_vm[vm.index()] {
            self.members[class] += 1;
        }
        for (left, request) in self.left.iter_mut().zip(self.types.units.request(vm)) {
            if let Some(left) = left {
                *left -= request;
            }
        }
    }

    /// Removes one of a type that is here.
    pub fn put_back(&mut self, vm_type: usize) {
        let vm = self.types.example(vm_type);
        for (left, request) in self.left.iter_mut().zip(self.types.units.request(vm)) {
            if let Some(left) = left {
                *left += request;
            }
        }
        for &class in &self.types.problem.page_classes.of_vm[vm.index()] {
            self.members[class] -= 1;
        }
        self.count[vm_type] -= 1;
        self.pages_left += self.pages(vm_type);
    }

    /// What is here.
    pub fn pattern(&self) -> Pattern {
        let held = self.count.iter().copied().enumerate();
        Pattern { kind: self.kind, held: held.filter(|&(_, count)| count > 0).collect() }
    }
}
