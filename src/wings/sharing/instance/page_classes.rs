//! Pages by the exact set of virtual machines that need them.
//!
//! `n_A` is the number of pages that exactly the virtual machines of `A` need: the Moebius inverse of the paper's sigma. A server
//! that hosts the set `S` holds `sum n_A` pages over all `A` that meet `S`.

use super::parts::{Component, Vm, VmIndex};
use std::collections::BTreeMap;

/// All pages of a problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageClasses {
    /// `n_{j}` by virtual machine: pages that it alone needs.
    pub private: Vec<u64>,
    /// The classes of two and more virtual machines that have pages, ascending by the set.
    pub shared: Vec<PageClass>,
    /// By virtual machine the positions in `shared` of the classes that it is in, ascending.
    pub of_vm: Vec<Vec<usize>>,
}

/// Pages that the same virtual machines need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageClass {
    /// The set A of virtual machines, ascending.
    pub vms: Vec<VmIndex>,
    /// `n_A`, at least 1.
    pub pages: u64,
}

impl PageClasses {
    /// The classes of given numbers of pages by non-empty, ascending set; sets without pages are left out.
    pub fn new(vms: usize, pages: BTreeMap<Vec<VmIndex>, u64>) -> Self {
        let mut classes =
            PageClasses { private: vec![0; vms], shared: Vec::new(), of_vm: vec![Vec::new(); vms] };
        for (set, pages) in pages.into_iter().filter(|&(_, pages)| pages > 0) {
            match set.as_slice() {
                [] => {}
                [alone] => classes.private[alone.index()] += pages,
                several => {
                    several.iter().for_each(|vm| classes.of_vm[vm.index()].push(classes.shared.len()));
                    classes.shared.push(PageClass { vms: set, pages });
                }
            }
        }
        classes
    }

    /// The classes of memories that consist of components, ranges of numbered pages and pages of their own.
    pub fn of_contents(vms: &[Vm], components: &[Component]) -> Self {
        let mut pages: BTreeMap<Vec<VmIndex>, u64> = BTreeMap::new();
        let mut supports = vec![Vec::new(); components.len()];
        for (index, vm) in (0..).map(VmIndex).zip(vms) {
            *pages.entry(vec![index]).or_default() += vm.own_pages;
            vm.components.iter().for_each(|component| supports[component.index()].push(index));
        }
        for (support, component) in supports.into_iter().zip(components) {
            *pages.entry(support).or_default() += component.pages;
        }
        for (support, count) in numbered(vms) {
            *pages.entry(support).or_default() += count;
        }
        PageClasses::new(vms.len(), pages)
    }
}

/// The numbered pages by the virtual machines that need them: between two neighbouring ends of ranges nothing changes.
fn numbered(vms: &[Vm]) -> BTreeMap<Vec<VmIndex>, u64> {
    let mut changes: BTreeMap<u64, (Vec<VmIndex>, Vec<VmIndex>)> = BTreeMap::new();
    for (index, vm) in (0..).map(VmIndex).zip(vms) {
        for range in &vm.ranges {
            changes.entry(range.first).or_default().0.push(index);
            changes.entry(range.last + 1).or_default().1.push(index);
        }
    }
    let mut pages: BTreeMap<Vec<VmIndex>, u64> = BTreeMap::new();
    let mut support: Vec<VmIndex> = Vec::new();
    let mut since = 0;
    for (number, (begin, end)) in changes {
        if !support.is_empty() {
            *pages.entry(support.clone()).or_default() += number - since;
        }
        support.retain(|vm| !end.contains(vm));
        support.extend(begin);
        support.sort_unstable();
        since = number;
    }
    pages
}
