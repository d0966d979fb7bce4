//! NVIDIA's default placement on one type of board, looked up wherever the board is small enough for a table.

use mig::{
    Board, PlacementTable, ProfileIndex, SliceStart, SlotMask, capability, default_start, distinct_profiles,
    free_starts,
};
use std::sync::Arc;

/// Where instances go on a board, and what they leave (Algorithm 1). The profiles that count are the
/// [`distinct_profiles`] of the board.
pub struct Placements {
    board: Arc<Board>,
    counted: Vec<ProfileIndex>,
    /// `None` for a board with more than 16 slots, on which everything is computed when it is asked for.
    table: Option<PlacementTable>,
}

impl Placements {
    /// The placements on a board.
    pub fn new(board: &Arc<Board>) -> Self {
        let counted = distinct_profiles(board);
        Placements { table: PlacementTable::new(board, &counted), counted, board: Arc::clone(board) }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The profiles over which the capability counts.
    pub fn counted(&self) -> &[ProfileIndex] {
        &self.counted
    }

    /// The start that an instance is given by default, `None` if there is no free one. Limits other than the slots do not
    /// enter.
    pub fn start(&self, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
        match &self.table {
            Some(table) => table.start(occupied, profile),
            None => default_start(&self.board, occupied, profile, &self.counted),
        }
    }

    /// The configuration capability CC, equation (1).
    pub fn capability(&self, occupied: SlotMask) -> u32 {
        match &self.table {
            Some(table) => table.capability(occupied),
            None => capability(&self.board, self.board.free_slots(occupied), &self.counted),
        }
    }

    /// Number of starts of a profile that are free.
    pub fn free_starts(&self, occupied: SlotMask, profile: ProfileIndex) -> u32 {
        match &self.table {
            Some(table) => table.free_starts(occupied, profile),
            None => free_starts(&self.board, self.board.free_slots(occupied), profile),
        }
    }
}
