//! The GPUs of a fleet in groups of which every policy thinks alike.

use cluster::{BoardIndex, GpuIndex};
use mig::SlotMask;
use std::collections::{BTreeMap, BTreeSet};

/// What the GPUs of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Alike {
    /// The type of board.
    pub board: BoardIndex,
    /// The slots that are occupied.
    pub occupied: SlotMask,
}

/// The GPUs of every group that has any, in global order.
#[derive(Default)]
pub struct Groups(BTreeMap<Alike, BTreeSet<GpuIndex>>);

impl Groups {
    /// Every group and its GPUs.
    pub fn iter(&self) -> impl Iterator<Item = (Alike, &BTreeSet<GpuIndex>)> {
        self.0.iter().map(|(&group, gpus)| (group, gpus))
    }

    /// Adds a GPU.
    pub fn add(&mut self, gpu: GpuIndex, group: Alike) {
        self.0.entry(group).or_default().insert(gpu);
    }

    /// Moves a GPU whose occupied slots are others now.
    pub fn change(&mut self, gpu: GpuIndex, from: Alike, to: Alike) {
        if from == to {
            return;
        }
        let gpus = self.0.get_mut(&from).expect("the GPU is there");
        gpus.remove(&gpu);
        if gpus.is_empty() {
            self.0.remove(&from);
        }
        self.add(gpu, to);
    }
}
