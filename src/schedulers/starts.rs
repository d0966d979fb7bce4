//! Rules that choose the start on a GPU by a key of each legal start that is free.

use fleet::Placements;
use mig::{Board, GpuInstance, ProfileIndex, SliceStart, SlotMask};
use std::cmp::Reverse;

/// The legal starts of a profile that are free, in ascending order.
pub fn free(
    board: &Board,
    occupied: SlotMask,
    profile: ProfileIndex,
) -> impl Iterator<Item = SliceStart> + '_ {
    let starts = board.profile(profile).starts.iter().copied();
    starts.filter(move |&start| !board.footprint(GpuInstance { profile, start }).intersects(occupied))
}

/// What is occupied once an instance is there.
pub fn after(board: &Board, occupied: SlotMask, profile: ProfileIndex, start: SliceStart) -> SlotMask {
    occupied.union(board.footprint(GpuInstance { profile, start }))
}

/// The lowest start.
pub fn lowest(placements: &Placements, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
    free(placements.board(), occupied, profile).next()
}

/// The first start in the order of its decimal digits, as names that end with it are sorted: 10 comes before 2.
pub fn first_by_digits(
    placements: &Placements,
    occupied: SlotMask,
    profile: ProfileIndex,
) -> Option<SliceStart> {
    free(placements.board(), occupied, profile).min_by_key(|start| start.0.to_string())
}

/// The highest start for profiles whose names begin with `1g.` or `3g.`, the lowest for others.
pub fn by_name(placements: &Placements, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
    let name = &placements.board().profile(profile).name;
    let mut starts = free(placements.board(), occupied, profile);
    match name.starts_with("1g.") || name.starts_with("3g.") {
        true => starts.last(),
        false => starts.next(),
    }
}

/// The start that leaves the longest run of free slots, then the most legal starts of all profiles, then the lowest.
pub fn longest_run(placements: &Placements, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
    let board = placements.board();
    let all: Vec<ProfileIndex> = board.profile_indices().collect();
    free(board, occupied, profile).min_by_key(|&start| {
        let left = board.free_slots(after(board, occupied, profile, start));
        (Reverse(run(left)), Reverse(mig::capability(board, left, &all)), start)
    })
}

/// Length of the longest run of slots.
fn run(slots: SlotMask) -> u32 {
    let mut starting = slots.0;
    let mut length = 0;
    while starting != 0 {
        starting &= starting >> 1;
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_is_found() {
        for (slots, length) in
            [(0, 0), (0b1, 1), (0b1011, 2), (0b1110_0110, 3), (u64::MAX, 64), (0b0111_1101, 5)]
        {
            assert_eq!(run(SlotMask(slots)), length, "{slots:b}");
        }
    }
}
