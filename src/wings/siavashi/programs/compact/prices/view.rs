//! What is looked at of a problem, and what is told apart.

use crate::instance::MachineIndex;
use cluster::{RequestIndex, Workload};
use ground::Amount;
use std::collections::BTreeSet;

/// What is looked at. What is left out makes machines hold no less and moves cost no more, so that bounds hold with it.
#[derive(Clone, Copy, Debug)]
pub struct View<'v> {
    /// Whether it matters where residents run now: it does where moves count.
    pub knows_places: bool,
    /// What is told apart by cores and memory, where that is not all.
    pub apart: Option<&'v Apart>,
}

/// What is told apart by cores and memory.
#[derive(Debug, Default)]
pub struct Apart {
    /// Machines: there, what residents need and what others need at least has to fit.
    pub machines: BTreeSet<MachineIndex>,
    /// Workloads that differ from others with the same request on all machines.
    pub likes: BTreeSet<Likes>,
}

/// What workloads have in common that are told apart: their request, cores and memory.
pub type Likes = (RequestIndex, Amount, Amount);

/// What a workload has in common with those that need as much.
pub fn likes(about: &Workload) -> Likes {
    (about.request, about.cpu, about.memory)
}
