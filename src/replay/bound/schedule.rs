//! A schedule: who is accepted, and where.

use cluster::{Placement, WorkloadIndex};

/// A schedule: where every accepted virtual machine is all the time, and how it was found.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The places.
    pub placement: Placement,
    /// How it was found, in words.
    pub found_by: String,
}

impl Schedule {
    /// Number of virtual machines that are accepted.
    pub fn accepted(&self) -> usize {
        (0..self.placement.len())
            .filter(|&position| self.placement.of(WorkloadIndex::at(position)).is_some())
            .count()
    }

    /// Takes the other schedule instead if it accepts more.
    pub(super) fn replace_if_better(&mut self, other: Schedule) {
        if other.accepted() > self.accepted() {
            *self = other;
        }
    }
}
