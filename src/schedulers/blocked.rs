//! How fragmented a GPU is by the legal starts that are blocked although the slots would suffice.

use super::starts::{after, free};
use mig::{Board, ProfileIndex, SliceStart, SlotMask, free_starts};

/// For every given profile that is not larger than the number of free slots: its legal starts that are not free, times its size.
pub fn blocked(board: &Board, occupied: SlotMask, profiles: &[ProfileIndex]) -> i64 {
    let left = board.free_slots(occupied);
    let of_profile = |&profile: &ProfileIndex| {
        let about = board.profile(profile);
        let blocked = about.starts.len() as i64 - i64::from(free_starts(board, left, profile));
        if about.size <= left.count() { blocked * i64::from(about.size) } else { 0 }
    };
    profiles.iter().map(of_profile).sum()
}

/// The free start after which a GPU is least fragmented, the lowest of equal ones, and by how much more than before.
pub fn least_growth(
    board: &Board,
    occupied: SlotMask,
    profile: ProfileIndex,
    profiles: &[ProfileIndex],
) -> Option<(i64, SliceStart)> {
    let before = blocked(board, occupied, profiles);
    let growth = |start| blocked(board, after(board, occupied, profile, start), profiles) - before;
    free(board, occupied, profile).map(|start| (growth(start), start)).min()
}
