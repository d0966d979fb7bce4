//! Fills: everything that can be added to a board whose occupied slots stay as they are.

use std::collections::BTreeMap;

use super::board::Board;
use super::counts::Counts;
use super::instance::ProfileIndex;
use super::packing::cheapest_packings;
use super::remaining::Remaining;
use super::slot_mask::SlotMask;

/// Everything that can be added to a partial state of a board, with the least physical waste of each addition.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct FillTable {
    /// Least total [`Board::waste`] of the added instances over their layouts. Adding nothing is always an entry, of
    /// waste 0.
    pub waste_of: BTreeMap<Counts, u32>,
}

impl FillTable {
    /// Whether these instances can be added.
    pub fn allows(&self, counts: &Counts) -> bool {
        self.waste_of.contains_key(counts)
    }

    /// Number of fills, the empty one included.
    pub fn len(&self) -> usize {
        self.waste_of.len()
    }

    /// Always false: adding nothing is a fill.
    pub fn is_empty(&self) -> bool {
        self.waste_of.is_empty()
    }

    /// The fills that consist of the given profiles alone.
    #[must_use]
    pub fn of_profiles(mut self, profiles: &[ProfileIndex]) -> FillTable {
        self.waste_of.retain(|counts, _| counts.iter().all(|(profile, _)| profiles.contains(&profile)));
        self
    }

    /// The fills that are not below another fill, in the order of their counts.
    pub fn maximal(&self) -> Vec<&Counts> {
        let grows = |counts: &Counts| {
            (0..counts.len() as u8).any(|profile| self.allows(&counts.add_one(ProfileIndex(profile))))
        };
        self.waste_of.keys().filter(|counts| !grows(counts)).collect()
    }
}

/// The fills of the slots that are not `occupied`, within what `remaining` leaves of the limits.
pub fn fill_table(board: &Board, occupied: SlotMask, remaining: &Remaining) -> FillTable {
    let waste_of = cheapest_packings(
        board.profiles(),
        board.slots(),
        board.free_slots(occupied),
        |instance| board.waste(instance),
        |counts| remaining.allows(board, counts),
    );
    FillTable {
        waste_of: waste_of.expect("a part of the board has no more multisets than the checked whole"),
    }
}

/// The fills of the empty board, called patterns.
pub fn patterns(board: &Board) -> FillTable {
    fill_table(board, SlotMask::EMPTY, &board.full_limits())
}
