//! A GPU instance in time and on the memory slots.

use super::contents::Owner;
use crate::instance::ModelIndex;
use kit::TaskKind;
use mig::GpuInstance;
use std::ops::Range;

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

impl Lifetime {
    /// Its slots, as far as they are among the first so many.
    pub fn slots(&self, slots: usize) -> Range<usize> {
        (self.from as usize).min(slots)..(self.until as usize).min(slots)
    }

    /// The task that has it.
    pub fn owner(&self) -> Owner {
        Owner { model: self.model, task: self.task }
    }
}
