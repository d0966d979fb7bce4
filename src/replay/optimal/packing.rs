//! Whether items of several sizes each fit into bins: an exact search for a proof that they do not.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What an item needs, or what is left in a bin, of everything that is scarce.
pub type Sizes = Vec<i128>;

/// Whether it is proved that the items do not fit into the bins together. `false` says nothing: they may fit, or the steps of the
/// search are used up, of which the state of every item tried takes one.
pub fn never_fits<'i>(
    items: impl IntoIterator<Item = &'i Sizes>,
    bins: Vec<Sizes>,
    steps: &mut usize,
) -> bool {
    let mut items: Vec<&Sizes> = items.into_iter().collect();
    let Some(first) = items.first() else { return false };
    let mut rest = vec![vec![0; first.len()]];
    let largest: Sizes =
        (0..first.len()).map(|at| bins.iter().map(|bin| bin[at]).max().unwrap_or(0)).collect();
    let share = |item: &Sizes| {
        let each = item.iter().zip(&largest).map(|(need, most)| need * 1_000_000 / (*most).max(1));
        each.max().unwrap_or(0)
    };
    // From the last to the first, so that the sums of what is left to place can be extended.
    items.sort_by_key(|item| (share(item), Reverse(*item)));
    for item in &items {
        rest.push(rest[rest.len() - 1].iter().zip(*item).map(|(sum, need)| sum + need).collect());
    }
    Search { items, rest, failed: BTreeSet::new(), steps }.fails(bins)
}

/// A search in depth.
struct Search<'i, 's> {
    /// Those that are placed first come last.
    items: Vec<&'i Sizes>,
    /// What the first items need together, from none on.
    rest: Vec<Sizes>,
    /// Bins into which that many first items do not fit: the search ends as soon as items fit.
    failed: BTreeSet<(usize, Vec<Sizes>)>,
    steps: &'s mut usize,
}

impl Search<'_, '_> {
    /// Whether all items do not fit into these bins.
    fn fails(mut self, bins: Vec<Sizes>) -> bool {
        self.none_fit(self.items.len(), bins)
    }

    /// Whether the first `left` items do not fit into these bins.
    fn none_fit(&mut self, left: usize, mut bins: Vec<Sizes>) -> bool {
        let Some(item) = self.items[..left].last().copied() else { return false };
        if *self.steps == 0 {
            return false;
        }
        *self.steps -= 1;
        // What is left in a bin that can take none of the items is lost; and more than all of them need is not needed.
        bins.retain(|bin| self.items[..left].iter().any(|item| fits(item, bin)));
        let need = &self.rest[left];
        for bin in &mut bins {
            bin.iter_mut().zip(need).for_each(|(amount, need)| *amount = (*amount).min(*need));
        }
        let lacks = |(at, need): (usize, &i128)| bins.iter().map(|bin| bin[at]).sum::<i128>() < *need;
        if need.iter().enumerate().any(lacks) {
            return true;
        }
        // Bins in which the same is left are alike.
        bins.sort_unstable();
        if !self.failed.insert((left, bins.clone())) {
            return true;
        }
        for (at, bin) in bins.iter().enumerate() {
            if (at > 0 && bins[at - 1] == *bin) || !fits(item, bin) {
                continue;
            }
            let mut next = bins.clone();
            next[at].iter_mut().zip(item).for_each(|(amount, need)| *amount -= need);
            if !self.none_fit(left - 1, next) {
                return false;
            }
        }
        true
    }
}

fn fits(item: &Sizes, bin: &Sizes) -> bool {
    item.iter().zip(bin).all(|(need, amount)| need <= amount)
}
