//! Which virtual machines are easier to accept than others.
//!
//! Let *j* be *easier* than *i* if it asks for no more, wherever *i* may be, and is there at no peak at which *i* is not.

use super::timeline::Timeline;
use cluster::{Cluster, RequestIndex};
use ground::Amount;
use itertools::Itertools;
use mig::{GpuInstance, ProfileIndex};
use std::collections::BTreeMap;

/// When a virtual machine is there.
#[derive(Clone, Copy)]
pub struct Stay {
    /// Position in the trace.
    pub position: usize,
    /// The numbers of its first and its last peak.
    pub first: usize,
    pub last: usize,
}

impl Stay {
    /// That of the virtual machine at a position in the trace, which is there at some peak.
    pub fn of(position: usize, timeline: &Timeline, peaks: &[usize]) -> Self {
        let first = peaks.partition_point(|&peak| peak < position);
        Stay { position, first, last: peaks.partition_point(|&peak| peak < timeline.end(position)) - 1 }
    }

    /// How many peaks.
    pub fn peaks(&self) -> usize {
        self.last - self.first + 1
    }

    /// Whether it is there only while another is.
    fn is_within(&self, other: &Stay) -> bool {
        other.first <= self.first && self.last <= other.last
    }
}

/// Virtual machines by what they ask for.
pub struct Kinds {
    /// By position in the trace.
    of: Vec<usize>,
    /// For two kinds, whether the first asks for no more than the second.
    asks_no_more: Vec<Vec<bool>>,
}

impl Kinds {
    /// Those of a trace.
    pub fn of(cluster: &Cluster) -> Self {
        let mut numbers: BTreeMap<(RequestIndex, Amount, Amount), usize> = BTreeMap::new();
        let workloads = cluster.workloads.iter().map(|about| (about.request, about.cpu, about.memory));
        let of = workloads
            .map(|kind| {
                let next = numbers.len();
                *numbers.entry(kind).or_insert(next)
            })
            .collect();
        let mut asks_no_more = vec![vec![false; numbers.len()]; numbers.len()];
        for (&(one, cpu, memory), &number) in &numbers {
            for (&(other, other_cpu, other_memory), &other_number) in &numbers {
                asks_no_more[number][other_number] =
                    cpu <= other_cpu && memory <= other_memory && fits_inside(cluster, one, other);
            }
        }
        Kinds { of, asks_no_more }
    }

    /// Whether one virtual machine is easier than another; of two that are as easy as each other, the one that arrived first.
    pub fn is_easier(&self, one: &Stay, other: &Stay) -> bool {
        let no_harder = |one: &Stay, other: &Stay| {
            one.is_within(other) && self.asks_no_more[self.of[one.position]][self.of[other.position]]
        };
        no_harder(one, other) && (one.position < other.position || !no_harder(other, one))
    }

    /// Pairs of numbers of stays, of which the first is easier than the second and counts for no less. Pairs that follow from others are left
    /// out.
    pub fn easier_pairs(&self, stays: &[Stay], worth: &[u32]) -> Vec<(usize, usize)> {
        let comes_first = |one: usize, other: usize| {
            let (one, other) = (&stays[one], &stays[other]);
            worth[one.position] >= worth[other.position] && self.is_easier(one, other)
        };
        let pairs_of = |harder: usize| {
            let easier = (0..stays.len())
                .filter(|&easier| easier != harder && comes_first(easier, harder))
                .collect_vec();
            let between =
                |first: usize| easier.iter().any(|&second| first != second && comes_first(first, second));
            easier.iter().filter(|&&first| !between(first)).map(|&first| (first, harder)).collect_vec()
        };
        (0..stays.len()).flat_map(pairs_of).collect()
    }
}

/// Whether on every board, wherever an instance for one request may be, one for another fits inside its slots and uses no more of
/// any limit.
fn fits_inside(cluster: &Cluster, inner: RequestIndex, outer: RequestIndex) -> bool {
    let (inner, outer) = (&cluster.requests[inner.index()], &cluster.requests[outer.index()]);
    cluster.boards.iter().zip(inner.on_board.iter().zip(&outer.on_board)).all(|(board, (inner, outer))| {
        let Some(outer) = *outer else { return true };
        let Some(inner) = *inner else { return false };
        let footprints = |profile: ProfileIndex| {
            let starts = board.profile(profile).starts.iter();
            starts.map(move |&start| board.footprint(GpuInstance { profile, start }))
        };
        let holds_one =
            |slots| footprints(inner).any(|inside: mig::SlotMask| inside.without(slots).is_empty());
        footprints(outer).all(holds_one)
            && board.limits().iter().all(|limit| limit.usage_of(inner) <= limit.usage_of(outer))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_follow_from_others_are_left_out() {
        // The first kind asks for no more than the second.
        let kinds = Kinds { of: vec![0, 0, 1, 0], asks_no_more: vec![vec![true, true], vec![false, true]] };
        let stay = |(position, (first, last))| Stay { position, first, last };
        let stays: Vec<Stay> = [(2, 3), (1, 4), (1, 5), (2, 3)].into_iter().enumerate().map(stay).collect();
        assert_eq!(kinds.easier_pairs(&stays, &[1; 4]), [(3, 1), (1, 2), (0, 3)]);
        // The last one counts for less than the second, so that it need not be accepted before.
        assert_eq!(kinds.easier_pairs(&stays, &[2, 2, 1, 1]), [(0, 1), (1, 2), (3, 2), (0, 3)]);
    }
}
