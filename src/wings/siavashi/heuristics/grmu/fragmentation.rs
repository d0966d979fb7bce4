//! Algorithm 4: the most fragmented GPU of the light basket is repacked.

use cluster::GpuIndex;
use fleet::{Fleet, Move};
use mig::{FragmentationReading, SliceStart, SlotMask, fragmentation};
use std::cmp::Reverse;

/// Fragmentations of GPUs, computed anew only for those on which something has changed.
pub struct Fragmentations {
    reading: FragmentationReading,
    /// The occupied slots of every GPU that was measured, and its fragmentation then.
    measured: Vec<Option<(SlotMask, u128)>>,
}

impl Fragmentations {
    /// Nothing is measured yet.
    pub fn new(reading: FragmentationReading) -> Self {
        Fragmentations { reading, measured: Vec::new() }
    }

    /// Algorithm 4: puts the guests of the most fragmented GPU, of several the first one, on an empty GPU by default, in the
    /// order in which they were placed, and moves those that begin elsewhere there.
    ///
    /// - A GPU with a guest that may not be moved is not considered.
    /// - If not all guests find room on the empty GPU in this way, all stay where they are.
    /// - As printed, the GPU is repacked whether this raises its capability or not, even if its fragmentation is 0.
    pub fn defragment(
        &mut self,
        fleet: &mut Fleet<'_>,
        light_basket: impl Iterator<Item = GpuIndex>,
    ) -> Vec<Move> {
        let movable = light_basket.filter(|&gpu| fleet.is_movable(gpu));
        let most = movable.min_by_key(|&gpu| Reverse(self.of(fleet, gpu)));
        let repacked = most.and_then(|gpu| Some((gpu, starts_when_repacked(fleet, gpu)?)));
        repacked.map(|(gpu, starts)| fleet.rearrange(gpu, &starts)).unwrap_or_default()
    }

    fn of(&mut self, fleet: &Fleet<'_>, gpu: GpuIndex) -> u128 {
        if self.measured.len() <= gpu.index() {
            self.measured.resize(gpu.index() + 1, None);
        }
        let occupied = fleet.occupied(gpu);
        let measured = &mut self.measured[gpu.index()];
        match *measured {
            Some((when, fragmentation)) if when == occupied => fragmentation,
            _ => {
                let placements = fleet.board_of(gpu);
                let value = fragmentation(placements.board(), occupied, placements.counted(), self.reading);
                *measured = Some((occupied, value));
                value
            }
        }
    }
}

/// The starts of a GPU's guests when they are placed by default on an empty one; `None` if they do not fit.
fn starts_when_repacked(fleet: &Fleet<'_>, gpu: GpuIndex) -> Option<Vec<SliceStart>> {
    let placements = fleet.board_of(gpu);
    let mut occupied = SlotMask::EMPTY;
    let profile_of = |guest| fleet.profile_on(gpu, fleet.request(guest)).expect("the board serves it");
    let profiles = fleet.guests(gpu).iter().map(|&guest| profile_of(guest));
    let place = |profile| {
        let start = placements.start(occupied, profile)?;
        let size = placements.board().profile(profile).size;
        occupied = occupied.union(SlotMask::interval(start, size));
        Some(start)
    };
    profiles.map(place).collect()
}
