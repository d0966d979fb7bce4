//! Allocations: how many GPU instances of each size a task has.

use ground::index_type;

index_type!(
    /// A size of GPU instances, by its position in [`Gpu::sizes`](super::Gpu::sizes).
    SizeIndex
);

/// Instances of a task by size, of [`Gpu::sizes`](super::Gpu::sizes).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Allocation(Vec<u8>);

impl Allocation {
    /// The allocation with these counts, one for each size.
    pub fn from_counts(counts: Vec<u8>) -> Self {
        Allocation(counts)
    }

    /// How many instances of each size.
    pub fn counts(&self) -> &[u8] {
        &self.0
    }

    /// How many instances of one size.
    pub fn count(&self, size: SizeIndex) -> u8 {
        self.0[size.index()]
    }

    /// How many instances.
    pub fn instances(&self) -> u32 {
        self.0.iter().map(|&count| u32::from(count)).sum()
    }

    /// Whether there is no instance.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|&count| count == 0)
    }

    /// One instance more.
    #[must_use]
    pub fn plus_one(&self, size: SizeIndex) -> Self {
        let mut counts = self.0.clone();
        counts[size.index()] += 1;
        Allocation(counts)
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Allocation) -> Self {
        Allocation(self.0.iter().zip(&other.0).map(|(one, other)| one + other).collect())
    }

    /// The sizes of its instances, each as often as there are instances, the largest first.
    pub fn sizes(&self) -> impl Iterator<Item = SizeIndex> + '_ {
        let several = |(position, &count): (usize, &u8)| {
            std::iter::repeat_n(SizeIndex::at(position), usize::from(count))
        };
        self.0.iter().enumerate().rev().flat_map(several)
    }
}
