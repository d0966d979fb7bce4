//! The capability metric: how many starts are still open.

use super::arrangement::arrangements;
use super::board::Board;
use super::counts::Counts;
use super::instance::{GpuInstance, ProfileIndex, SliceStart};
use super::slot_mask::SlotMask;

/// Number of legal starts of `profile` whose slots are all free.
pub fn free_starts(board: &Board, free: SlotMask, profile: ProfileIndex) -> u32 {
    let starts = &board.profile(profile).starts;
    let open =
        starts.iter().filter(|start| free.contains(board.footprint(GpuInstance { profile, start: **start })));
    open.count() as u32
}

/// The configuration capability CC of a set of free slots: the free legal starts of the given profiles, added up
/// (Siavashi & Momtazpour). Limits other than the slots do not enter.
pub fn capability(board: &Board, free: SlotMask, profiles: &[ProfileIndex]) -> u32 {
    profiles.iter().map(|profile| free_starts(board, free, *profile)).sum()
}

/// The profiles that differ from every earlier one in compute slices, size or starts, in the board's order: one of each
/// shape, without variants such as `+me` that differ in other equipment alone. On an A100 they are the six of Siavashi &
/// Momtazpour, over which they count the capability.
pub fn distinct_profiles(board: &Board) -> Vec<ProfileIndex> {
    let shape = |profile: ProfileIndex| {
        let profile = board.profile(profile);
        (profile.compute, profile.size, &profile.starts)
    };
    let is_first = |profile: &ProfileIndex| {
        board.profile_indices().take(profile.index()).all(|earlier| shape(earlier) != shape(*profile))
    };
    board.profile_indices().filter(is_first).collect()
}

/// The arrangement of `counts` on the empty board that leaves the greatest capability over all profiles; of several, the
/// lexicographically smallest. `None` if the board cannot hold `counts`.
///
/// Where one arrangement leaves the most free starts for every profile at once, which is the case for every multiset on
/// the A100 family, the A30 and the RTX PRO 6000, this is such an arrangement.
pub fn best_arrangement(board: &Board, counts: &Counts) -> Option<Vec<GpuInstance>> {
    let profiles: Vec<ProfileIndex> = board.profile_indices().collect();
    let leaves =
        |layout: &Vec<GpuInstance>| capability(board, board.free_slots(board.used_slots(layout)), &profiles);
    arrangements(board, SlotMask::EMPTY, counts).into_iter().rev().max_by_key(leaves)
}

/// The legal starts of a profile, best first: those that leave the greatest capability on the otherwise empty board, and of
/// equal ones the lowest. On the A100 family this is the preference order of Turkkan et al., Table 1.
pub fn preferred_starts(board: &Board, profile: ProfileIndex) -> Vec<SliceStart> {
    let profiles: Vec<ProfileIndex> = board.profile_indices().collect();
    let leaves = |start: &SliceStart| {
        let footprint = board.footprint(GpuInstance { profile, start: *start });
        capability(board, board.free_slots(footprint), &profiles)
    };
    let mut starts = board.profile(profile).starts.clone();
    starts.sort_by_key(|start| (std::cmp::Reverse(leaves(start)), *start));
    starts
}
