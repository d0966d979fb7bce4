//! The fragmentation of a GPU by Siavashi & Momtazpour, Algorithm 4.

use super::board::Board;
use super::instance::{GpuInstance, ProfileIndex};
use super::slot_mask::SlotMask;

/// A fragmentation of 1: the least common multiple of the numbers up to 64, the largest size of a profile, so that the
/// fragmentation of every board is a whole number of these parts.
pub const FRAGMENTATION_UNIT: u128 = 1_182_266_884_102_822_267_511_361_600;

/// What every profile in turn is tried on when a fragmentation is computed.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum FragmentationReading {
    /// On what the profiles before it have left, as the algorithm is printed: the GPU is copied once, above the loop.
    /// On an A100 the first profile then takes the slots 0 to 6, and the fragmentation is 1 if slot 7 is free, else 0.
    Literal,
    /// On a copy of the GPU of its own, as the text around the algorithm describes it.
    Reset,
}

/// How fragmented the free slots of a board are, in parts of [`FRAGMENTATION_UNIT`].
///
/// Every given profile that is not larger than the number of free slots is put, in ascending order, at all of its starts
/// that are free; the slots that then remain, divided by the profile's size, add up to the fragmentation. The order of
/// the profiles matters for the literal reading alone; the paper's is that of the board.
pub fn fragmentation(
    board: &Board,
    occupied: SlotMask,
    profiles: &[ProfileIndex],
    reading: FragmentationReading,
) -> u128 {
    let free = board.free_slots(occupied);
    let mut left = free;
    let mut total = 0;
    for profile in profiles {
        if reading == FragmentationReading::Reset {
            left = free;
        }
        let size = board.profile(*profile).size;
        if size <= left.count() {
            left = without_instances(board, left, *profile);
            total += u128::from(left.count()) * FRAGMENTATION_UNIT / u128::from(size);
        }
    }
    total
}

/// What is left of free slots once instances of `profile` stand at all starts that are free, lowest first.
fn without_instances(board: &Board, free: SlotMask, profile: ProfileIndex) -> SlotMask {
    board.profile(profile).starts.iter().fold(free, |free, start| {
        let footprint = board.footprint(GpuInstance { profile, start: *start });
        if free.contains(footprint) { free.without(footprint) } else { free }
    })
}
