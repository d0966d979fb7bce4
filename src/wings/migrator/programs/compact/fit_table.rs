//! What fits the GPU, as numbers: sums of allocations by looking them up.

use super::index::FitIndex;
use super::list::List;
use crate::instance::{Allocation, Gpu};
use std::collections::BTreeMap;

/// Everything that fits the GPU, numbered, with the sums of any two.
pub struct FitTable {
    numbers: BTreeMap<Allocation, FitIndex>,
    sums: List<FitIndex, List<FitIndex, Option<FitIndex>>>,
}

impl FitTable {
    /// The table of a GPU.
    pub fn new(gpu: &Gpu) -> Self {
        let all: Vec<&Allocation> = gpu.fitting().collect();
        // In ascending order, so that no instance at all is the first: `FitIndex::NOTHING`.
        let numbers: BTreeMap<Allocation, FitIndex> =
            all.iter().map(|&one| one.clone()).zip((0..).map(FitIndex)).collect();
        let sum = |one: &Allocation, other: &Allocation| numbers.get(&one.plus(other)).copied();
        let sums = all.iter().map(|one| all.iter().map(|other| sum(one, other)).collect()).collect();
        FitTable { numbers, sums }
    }

    /// The number of an allocation that fits.
    pub fn number(&self, allocation: &Allocation) -> FitIndex {
        self.numbers[allocation]
    }

    /// All numbers.
    pub fn numbers(&self) -> impl Iterator<Item = FitIndex> + use<> {
        self.sums.positions()
    }

    /// The number of the sum of two allocations; `None` if it does not fit.
    pub fn sum(&self, one: FitIndex, other: FitIndex) -> Option<FitIndex> {
        self.sums[one][other]
    }

    /// Whether, beside anything at all, the first allocation fits wherever the second does.
    pub fn stands_in(&self, one: FitIndex, other: FitIndex) -> bool {
        self.sums[one]
            .iter()
            .zip(self.sums[other].iter())
            .all(|(one, other)| one.is_some() || other.is_none())
    }
}
