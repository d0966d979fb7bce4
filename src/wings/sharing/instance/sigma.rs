//! The table of the paper's sharing parameters: how many pages all virtual machines of a set have in common.

use super::page_classes::PageClasses;
use super::parts::VmIndex;
use std::collections::BTreeMap;

/// `sigma_J` by set J of two and more virtual machines, ascending; sets without common pages are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SigmaTable(BTreeMap<Vec<VmIndex>, u64>);

/// Why numbers of common pages cannot be those of any memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconsistent {
    /// More pages are common to a set than to a part of it.
    SupersetSharesMore {
        /// The set.
        superset: Vec<VmIndex>,
        /// Pages that it has in common.
        pages: u64,
        /// The part, one virtual machine smaller.
        subset: Vec<VmIndex>,
        /// Pages that the part has in common.
        fewer: u64,
    },
    /// Fewer pages are common to a set than the larger sets that contain it make of them: a negative number of pages would be
    /// needed by exactly this set.
    NegativeClass {
        /// The set; a single virtual machine, too.
        set: Vec<VmIndex>,
        /// Pages that it has in common.
        common: u64,
        /// Different pages of these that are common to the larger sets.
        larger: i128,
    },
}

impl SigmaTable {
    /// A table of common pages by ascending set of two and more.
    pub fn new(shared: BTreeMap<Vec<VmIndex>, u64>) -> Self {
        SigmaTable(shared.into_iter().filter(|&(_, pages)| pages > 0).collect())
    }

    /// The sets with common pages, and how many.
    pub fn entries(&self) -> impl Iterator<Item = (&[VmIndex], u64)> {
        self.0.iter().map(|(set, &pages)| (set.as_slice(), pages))
    }

    /// The Moebius inverse: `n_A = sum over B that contain A of (-1)^(|B| - |A|) sigma_B`, given the pages of each virtual
    /// machine.
    ///
    /// # Errors
    /// When the numbers contradict each other.
    pub fn invert(&self, pages: &[u64]) -> Result<PageClasses, Inconsistent> {
        let mut classes: BTreeMap<Vec<VmIndex>, i128> = BTreeMap::new();
        for (vm, &pages) in (0..).map(VmIndex).zip(pages) {
            classes.insert(vec![vm], i128::from(pages));
        }
        for (set, &common) in &self.0 {
            for left_out in 0..set.len() {
                let mut subset = set.clone();
                subset.remove(left_out);
                let fewer = match subset.as_slice() {
                    [alone] => pages[alone.index()],
                    _ => self.0.get(&subset).copied().unwrap_or(0),
                };
                if fewer < common {
                    let superset = set.clone();
                    return Err(Inconsistent::SupersetSharesMore { superset, pages: common, subset, fewer });
                }
            }
            classes.insert(set.clone(), i128::from(common));
        }
        // From the largest sets down, what is left of sigma_A when the pages of all larger classes are taken off.
        let mut by_size: Vec<Vec<VmIndex>> = classes.keys().cloned().collect();
        by_size.sort_by_key(|set| std::cmp::Reverse(set.len()));
        for (position, set) in by_size.iter().enumerate() {
            let larger: i128 = by_size[..position]
                .iter()
                .filter(|other| other.len() > set.len() && contains(other, set))
                .map(|other| classes[other])
                .sum();
            let common = classes[set];
            if common < larger {
                let (set, common) = (set.clone(), common as u64);
                return Err(Inconsistent::NegativeClass { set, common, larger });
            }
            classes.insert(set.clone(), common - larger);
        }
        let classes = classes.into_iter().map(|(set, pages)| (set, pages as u64));
        Ok(PageClasses::new(pages.len(), classes.collect()))
    }
}

/// Whether an ascending list holds all of another.
fn contains(list: &[VmIndex], other: &[VmIndex]) -> bool {
    other.iter().all(|vm| list.binary_search(vm).is_ok())
}
