//! Pages that virtual machines need together: by the definition of the union of their own pages, or by inclusion and exclusion
//! where the instance gives a table.

use crate::instance::{ComponentIndex, PageRange, Problem, SigmaTable, VmIndex};
use std::collections::BTreeSet;

/// Pages in the union of the page sets of some virtual machines, given in ascending order.
pub fn pages_of(problem: &Problem, vms: &[VmIndex]) -> u64 {
    if let Some(table) = &problem.sigma {
        return by_inclusion_and_exclusion(problem, table, vms);
    }
    let components: BTreeSet<ComponentIndex> =
        vms.iter().flat_map(|&vm| problem.vm(vm).components.iter().copied()).collect();
    let of_components = components.iter().map(|component| problem.components[component.index()].pages);
    let own = vms.iter().map(|&vm| problem.vm(vm).own_pages);
    of_components.chain(own).sum::<u64>() + numbered_pages(problem, vms)
}

/// Numbers of pages in at least one of the ranges.
fn numbered_pages(problem: &Problem, vms: &[VmIndex]) -> u64 {
    let mut ranges: Vec<PageRange> =
        vms.iter().flat_map(|&vm| problem.vm(vm).ranges.iter().copied()).collect();
    ranges.sort_unstable();
    let (mut pages, mut next) = (0, 0);
    for range in ranges {
        let first = range.first.max(next);
        if first <= range.last {
            pages += range.last - first + 1;
            next = range.last + 1;
        }
    }
    pages
}

/// The left side of row (8).
fn by_inclusion_and_exclusion(problem: &Problem, table: &SigmaTable, vms: &[VmIndex]) -> u64 {
    let single: i128 = vms.iter().map(|&vm| i128::from(problem.vm(vm).pages)).sum();
    let of_set = |(set, pages): (&[VmIndex], u64)| {
        let inside = set.iter().all(|vm| vms.binary_search(vm).is_ok());
        match inside {
            false => 0,
            true if set.len() % 2 == 1 => i128::from(pages),
            true => -i128::from(pages),
        }
    };
    let union = single + table.entries().map(of_set).sum::<i128>();
    u64::try_from(union).expect("a union of page sets has no negative number of pages")
}
