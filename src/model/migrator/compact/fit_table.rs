//! What fits the GPU, as numbers: sums of allocations by looking them up.

use super::super::allocation::Allocation;
use super::super::gpu::Gpu;
use std::collections::BTreeMap;

/// Everything that fits the GPU, numbered, with the sums of any two.
pub struct FitTable {
    numbers: BTreeMap<Allocation, usize>,
    sums: Vec<Vec<Option<usize>>>,
}

impl FitTable {
    /// The table of a GPU. Nothing at all has number 0.
    pub fn new(gpu: &Gpu) -> Self {
        let all: Vec<&Allocation> = gpu.fitting().collect();
        let numbers: BTreeMap<Allocation, usize> = all.iter().map(|&one| one.clone()).zip(0..).collect();
        let sum = |one: &Allocation, other: &Allocation| numbers.get(&one.plus(other)).copied();
        let sums = all.iter().map(|one| all.iter().map(|other| sum(one, other)).collect()).collect();
        FitTable { numbers, sums }
    }

    /// The number of an allocation that fits.
    pub fn number(&self, allocation: &Allocation) -> usize {
        self.numbers[allocation]
    }

    /// The number of the sum of two allocations; `None` if it does not fit.
    pub fn sum(&self, one: usize, other: usize) -> Option<usize> {
        self.sums[one][other]
    }

    /// Whether, beside anything at all, the first allocation fits wherever the second does.
    pub fn stands_in(&self, one: usize, other: usize) -> bool {
        self.sums[one].iter().zip(&self.sums[other]).all(|(one, other)| one.is_some() || other.is_none())
    }
}
