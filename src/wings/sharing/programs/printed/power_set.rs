//! The survivors of the power set: the sets of virtual machines that have pages in common, with the paper's sigma.
//!
//! `sigma_J` is the sum of `n_A` over the page classes `A` that contain `J`. A part of a surviving set survives, so the sets
//! are found size by size, each by adding a later virtual machine to a set that was found before.

use crate::instance::{PageClasses, Problem, VmIndex};
use std::collections::BTreeMap;

/// Columns for virtual machines and sets of them on servers, above which the power set is not written down. Programs of this
/// size have about a million rows.
const MOST_COLUMNS: usize = 200_000;

/// A set of two or more virtual machines with pages that all of them need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonPages {
    /// The set J, ascending.
    pub vms: Vec<VmIndex>,
    /// `sigma_J`, at least 1.
    pub pages: u64,
}

impl CommonPages {
    /// Whether inclusion and exclusion adds the pages of the set, as it does for an odd number of virtual machines.
    pub fn is_added(&self) -> bool {
        self.vms.len() % 2 == 1
    }
}

/// The power set of the virtual machines is too large for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the paper's program has a column for each virtual machine, and for each set of them with common pages, on each server: more \
     than {MOST_COLUMNS} for these {vms} virtual machines on {servers} servers. Use the default formulation, which counts pages by \
     the set that needs them, or fewer virtual machines"
)]
pub struct TooManySets {
    /// Virtual machines of the problem.
    pub vms: usize,
    /// Servers of the problem.
    pub servers: usize,
}

/// All sets J of two or more virtual machines with `sigma_J > 0`, by size, those of a size in lexicographic order.
///
/// # Errors
/// When a program with a column for each virtual machine and each set on each server would have more than 200,000 of them.
pub fn power_set(problem: &Problem) -> Result<Vec<CommonPages>, TooManySets> {
    let (vms, servers) = (problem.vms.len(), problem.servers.len());
    let refused = TooManySets { vms, servers };
    let most = (MOST_COLUMNS / servers.max(1)).checked_sub(vms).ok_or(refused.clone())?;
    survivors(&problem.page_classes, most).ok_or(refused)
}

/// A set on the way, with what is needed to extend it.
struct Found {
    vms: Vec<VmIndex>,
    /// Positions of the classes that contain all of it.
    classes: Vec<usize>,
}

/// The survivors; `None` when there are more than `most`.
fn survivors(classes: &PageClasses, most: usize) -> Option<Vec<CommonPages>> {
    let alone = |(position, classes): (usize, &Vec<usize>)| Found {
        vms: vec![VmIndex::at(position)],
        classes: classes.clone(),
    };
    let mut last_size: Vec<Found> = classes.of_vm.iter().enumerate().map(alone).collect();
    let mut sets = Vec::new();
    while !last_size.is_empty() {
        let mut next_size = Vec::new();
        for found in &last_size {
            for (later, containing) in extensions(classes, found) {
                if sets.len() == most {
                    return None;
                }
                let vms: Vec<VmIndex> = found.vms.iter().copied().chain([later]).collect();
                let pages = containing.iter().map(|&class| classes.shared[class].pages).sum();
                sets.push(CommonPages { vms: vms.clone(), pages });
                next_size.push(Found { vms, classes: containing });
            }
        }
        last_size = next_size;
    }
    Some(sets)
}

/// The later virtual machines that share a class with all of a set, with these classes.
fn extensions(classes: &PageClasses, found: &Found) -> BTreeMap<VmIndex, Vec<usize>> {
    let last = found.vms[found.vms.len() - 1];
    let mut later: BTreeMap<VmIndex, Vec<usize>> = BTreeMap::new();
    for &class in &found.classes {
        let vms = &classes.shared[class].vms;
        for &vm in &vms[vms.partition_point(|&vm| vm <= last)..] {
            later.entry(vm).or_default().push(class);
        }
    }
    later
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(vms: usize, pages: &[(&[u32], u64)]) -> PageClasses {
        let entry = |&(set, pages): &(&[u32], u64)| (set.iter().copied().map(VmIndex).collect(), pages);
        PageClasses::new(vms, pages.iter().map(entry).collect())
    }

    #[test]
    fn sets_come_by_size_with_the_pages_of_all_classes_around_them() {
        let classes = classes(4, &[(&[0], 9), (&[0, 1, 3], 2), (&[1, 3], 5), (&[1, 2], 1)]);
        let sets = survivors(&classes, 5).expect("five survive");
        let found: Vec<(Vec<u32>, u64)> =
            sets.iter().map(|set| (set.vms.iter().map(|vm| vm.0).collect(), set.pages)).collect();
        assert_eq!(
            found,
            [(vec![0, 1], 2), (vec![0, 3], 2), (vec![1, 2], 1), (vec![1, 3], 7), (vec![0, 1, 3], 2)]
        );
        assert!(survivors(&classes, 4).is_none());
    }

    #[test]
    fn a_page_that_all_need_is_given_up_early() {
        let all: Vec<u32> = (0..10_000).collect();
        assert!(survivors(&classes(10_000, &[(&all, 1)]), 100_000).is_none());
    }
}
