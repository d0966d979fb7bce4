//! Where the instances of a plan lie on the GPU, from slot to slot.

use super::instance::{ModelIndex, Problem};
use super::plan::Plan;
use crate::cluster::Amount;
use crate::mig::GpuInstance;
use crate::model::{LayoutChange, PlannedInstance, TaskKind};

/// A GPU instance from its creation to its destruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lifetime {
    /// The model that has it.
    pub model: ModelIndex,
    /// The task that has it.
    pub task: TaskKind,
    /// What and where it is.
    pub instance: GpuInstance,
    /// First slot of the window.
    pub from: u32,
    /// The slot after the last one.
    pub until: u32,
}

/// A plan on the memory slots of the GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Every instance, in the order of `from`.
    pub lifetimes: Vec<Lifetime>,
}

/// What changes of the layout come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayoutSummary {
    /// Instances destroyed before the end of the window.
    pub destroyed: u64,
    /// Times that the instance of a running retraining has to move, which the model does not see.
    pub moved_retrainings: u64,
    /// Seconds of all reconfigurations.
    pub reconfiguration_seconds: Amount,
    /// Seconds of them that pass ahead.
    pub hidden_seconds: Amount,
}

impl Layout {
    /// The instances as documents have them.
    pub fn instances(&self, _: &Problem) -> Vec<PlannedInstance> {
        Vec::new()
    }

    /// The changes as documents have them.
    pub fn changes(&self, _: &Problem) -> Vec<LayoutChange> {
        Vec::new()
    }

    /// What the changes come to.
    pub fn summary(&self, _: &Problem) -> LayoutSummary {
        LayoutSummary::default()
    }
}

/// Lays a plan out so that the fewest instances are destroyed.
pub fn lay_out(_: &Problem, _: &Plan) -> Layout {
    Layout::default()
}
