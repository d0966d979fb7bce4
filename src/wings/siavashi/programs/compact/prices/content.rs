//! What a machine holds, and what all machines share.

use super::slot::Slot;
use super::terms::{Aim, Rows, Shape};

/// What a machine holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content {
    /// How many of each shape.
    pub counts: Vec<u32>,
    /// How many GPUs are in use.
    pub gpus: u32,
    /// What is saved by workloads that stay on their GPUs, and in their slots, in units of migrations.
    pub stay: i64,
    /// What each GPU holds, as a number of a fill.
    pub fills: Vec<u32>,
}

impl Content {
    /// What GPUs hold with these fills of so many shapes.
    pub fn of(slots: &[Slot], shapes: usize, fills: Vec<u32>) -> Self {
        let mut counts = vec![0; shapes];
        let (mut gpus, mut stay) = (0, 0);
        for (slot, &fill) in slots.iter().zip(&fills) {
            let held = &slot.fills.all[fill as usize].counts;
            gpus += u32::from(slot.is_pinned || !held.is_empty());
            stay += slot.saved[fill as usize];
            for &(shape, number) in held {
                counts[shape] += number;
            }
        }
        Content { counts, gpus, stay, fills }
    }
}

/// What all machines share.
#[derive(Debug)]
pub struct Frame {
    /// The shapes of workloads.
    pub shapes: Vec<Shape>,
    /// The positions of totals.
    pub rows: Rows,
    /// What is asked for.
    pub aim: Aim,
    /// Whether machines of so many kinds share it that what their tables show has to do at first.
    pub has_many: bool,
}
