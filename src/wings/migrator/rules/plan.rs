//! A proposal for a window: when and where each model is retrained, and what its inference task has in each slot.

use crate::instance::{Allocation, SizeIndex};
use ground::Amount;

/// The retraining of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Retraining {
    /// Size of its instance.
    pub size: SizeIndex,
    /// First slot.
    pub from: u32,
    /// The slot after the last one.
    pub until: u32,
}

impl Retraining {
    /// Whether it runs in a slot.
    pub fn runs(&self, slot: u32) -> bool {
        (self.from..self.until).contains(&slot)
    }
}

/// What happens to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPlan {
    /// Its retraining; `None` breaks a rule.
    pub retraining: Option<Retraining>,
    /// Instances of its inference task in each slot.
    pub inference: Vec<Allocation>,
}

/// What happens to all models of a problem, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// By model.
    pub tasks: Vec<TaskPlan>,
    /// What another mechanism is estimated to give in the same window, for heuristics that imitate one; no part of the plan.
    pub beside: Option<MpsEstimate>,
}

/// An estimate of what sharing the GPU by MPS would give: no plan of the model, so that it may exceed the optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpsEstimate {
    /// Served requests times accuracy.
    pub goodput: Amount,
    /// Requests served in their slot.
    pub served: Amount,
    /// Requests received.
    pub received: Amount,
}

impl Plan {
    /// A plan with nothing beside it.
    pub fn new(tasks: Vec<TaskPlan>) -> Self {
        Plan { tasks, beside: None }
    }
}

impl TaskPlan {
    /// Maximal runs of slots with one allocation: first slot, slot after the last one, allocation.
    pub fn runs(&self) -> impl Iterator<Item = (u32, u32, &Allocation)> {
        let mut from = 0;
        self.inference.chunk_by(|one, next| one == next).map(move |run| {
            let until = from + run.len() as u32;
            (std::mem::replace(&mut from, until), until, &run[0])
        })
    }
}
