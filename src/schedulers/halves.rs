//! The start on a board in halves: keep a half untouched, put what takes a half into the half that fewest placements need, fill from the
//! outer edge.

use super::starts::{after, free};
use fleet::Placements;
use mig::{Board, GpuInstance, ProfileIndex, SliceStart, SlotMask};
use std::cmp::Reverse;

/// The start with the most halves untouched, in the zone of its size, farthest from the middle, lowest.
///
/// The zone of an instance that takes a whole half is the reserved half: the one that holds fewest legal places, the upper of equal
/// ones. The zone of others is the other half. A board on which a place other than a whole board crosses the middle has no halves:
/// there it is the start that leaves it untouched, which none does, and so the lowest.
pub fn start(placements: &Placements, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
    let board = placements.board();
    let halves = Halves::of(board);
    free(board, occupied, profile).min_by_key(|&start| {
        let Some(halves) = &halves else { return (Reverse(0), false, Reverse(0), start) };
        let place = board.footprint(GpuInstance { profile, start });
        let occupied = after(board, occupied, profile, start);
        let untouched = halves.masks.iter().filter(|half| !half.intersects(occupied)).count();
        let half = halves.masks.iter().position(|half| half.contains(place));
        let is_elsewhere =
            half.is_some_and(|half| (halves.masks[half] == place) != (half == halves.reserved));
        let size = board.profile(profile).size;
        let from_middle = match half {
            Some(0) => halves.middle - (u32::from(start.0) + size),
            Some(_) => u32::from(start.0) - halves.middle,
            None => 0,
        };
        (Reverse(untouched), is_elsewhere, Reverse(from_middle), start)
    })
}

struct Halves {
    middle: u32,
    masks: [SlotMask; 2],
    /// Position of the half for what takes a whole one.
    reserved: usize,
}

impl Halves {
    /// `None` if something other than a whole board crosses the middle, or there is one slot.
    fn of(board: &Board) -> Option<Halves> {
        let middle = board.slots() / 2;
        let lower = SlotMask::first(middle);
        let masks = [lower, board.all_slots().without(lower)];
        let places: Vec<SlotMask> = board
            .profile_indices()
            .flat_map(|profile| {
                let starts = board.profile(profile).starts.iter();
                starts.map(move |&start| board.footprint(GpuInstance { profile, start }))
            })
            .collect();
        let crosses = |place: &SlotMask| {
            *place != board.all_slots() && masks.iter().all(|half| half.intersects(*place))
        };
        if middle == 0 || places.iter().any(crosses) {
            return None;
        }
        let held = |half: &SlotMask| places.iter().filter(|place| half.contains(**place)).count();
        let reserved = usize::from(held(&masks[1]) <= held(&masks[0]));
        Some(Halves { middle, masks, reserved })
    }
}
