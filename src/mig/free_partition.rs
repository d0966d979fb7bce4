//! Free partitions: what Algorithm 1 of Turkkan et al. sees in the slots that are left.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::board::Board;
use super::counts::Counts;
use super::fill::FillTable;
use super::instance::{GpuInstance, SliceStart};
use super::packing::MULTISET_BUDGET;
use super::remaining::Remaining;
use super::slot_mask::SlotMask;

/// A largest instance that could be created in free slots, seen as a bin of compute slices and memory slots.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct FreePartition {
    /// First slot.
    pub start: SliceStart,
    /// Compute slices.
    pub compute: u32,
    /// Memory slots.
    pub size: u32,
}

/// The free partitions of a board, in ascending order of their starts (Turkkan et al., Algorithm 1, without merging).
///
/// The paper leaves the order of slots and profiles open. Here the slots ascend, the profile with the most slots goes
/// first, then the one with the most compute slices, and the first profile that fits ends the search at its slot.
pub fn free_partitions(board: &Board, occupied: SlotMask) -> Vec<FreePartition> {
    let mut largest_first: Vec<_> = board.profile_indices().collect();
    largest_first
        .sort_by_key(|index| (Reverse(board.profile(*index).size), Reverse(board.profile(*index).compute)));
    let mut free = board.free_slots(occupied);
    let mut partitions = Vec::new();
    for start in (0..board.slots() as u8).map(SliceStart) {
        let fits =
            |instance: &GpuInstance| board.is_legal(*instance) && free.contains(board.footprint(*instance));
        let instances = largest_first.iter().map(|profile| GpuInstance { profile: *profile, start });
        if let Some(instance) = instances.clone().find(fits) {
            free = free.without(board.footprint(instance));
            let profile = board.profile(instance.profile);
            partitions.push(FreePartition { start, compute: profile.compute, size: profile.size });
        }
    }
    partitions
}

/// Waste of a bin by equations (2f) to (2k) of Turkkan et al.: with u compute slices and v memory slots left over, the
/// u - v compute slices that find no memory, and all v slots once the compute slices are used up.
///
/// # Panics
/// If more is used than the bin has.
pub fn bin_waste(compute_capacity: u32, size_capacity: u32, used_compute: u32, used_size: u32) -> u32 {
    let compute_left =
        compute_capacity.checked_sub(used_compute).expect("a bin holds no more compute than it has");
    let size_left = size_capacity.checked_sub(used_size).expect("a bin holds no more memory than it has");
    compute_left.saturating_sub(size_left) + if compute_left == 0 { size_left } else { 0 }
}

/// The fills that the free partitions allow when each is a bin in which only sums of compute slices and of memory slots
/// count, with the least [`bin_waste`] over all assignments to the bins, within what `remaining` leaves of the limits.
///
/// Where this equals [`super::fill_table`] for all states of a board, the printed program of Turkkan et al. is exact on
/// it; [`super::check_bin_view`] finds out. A table that outgrows every fill table is cut short.
pub fn partition_fill_table(board: &Board, occupied: SlotMask, remaining: &Remaining) -> FillTable {
    let mut waste_of = BTreeMap::from([(Counts::zero(board.profiles().len()), 0)]);
    for partition in free_partitions(board, occupied) {
        let contents = bin_contents(board, partition.compute, partition.size, remaining);
        let mut extended = BTreeMap::new();
        for (counts, waste) in &waste_of {
            if extended.len() > MULTISET_BUDGET {
                break;
            }
            for (added, more_waste) in &contents {
                let sum = counts.checked_add(added).expect("counts are bounded by the slots of the board");
                if remaining.allows(board, &sum) {
                    let total = waste + more_waste;
                    extended
                        .entry(sum)
                        .and_modify(|known: &mut u32| *known = (*known).min(total))
                        .or_insert(total);
                }
            }
        }
        waste_of = extended;
    }
    FillTable { waste_of }
}

/// All contents of a bin with their waste: every multiset whose compute slices and memory slots add up to no more than
/// the bin has, within the limits. Contents beyond [`MULTISET_BUDGET`] are not listed; so many are more than any board
/// has layouts for, so that a comparison still fails as it should.
pub(super) fn bin_contents(
    board: &Board,
    compute: u32,
    size: u32,
    remaining: &Remaining,
) -> Vec<(Counts, u32)> {
    let mut contents = vec![(Counts::zero(board.profiles().len()), 0, 0)];
    for profile in board.profile_indices() {
        let (one_compute, one_size) = (board.profile(profile).compute, board.profile(profile).size);
        let mut next = 0;
        while let Some((counts, used_compute, used_size)) = contents.get(next) {
            let more = (counts.add_one(profile), used_compute + one_compute, used_size + one_size);
            let fits = more.1 <= compute && more.2 <= size && remaining.allows(board, &more.0);
            if fits && contents.len() <= MULTISET_BUDGET {
                contents.push(more);
            }
            next += 1;
        }
    }
    contents
        .into_iter()
        .map(|(counts, used_compute, used_size)| (counts, bin_waste(compute, size, used_compute, used_size)))
        .collect()
}
