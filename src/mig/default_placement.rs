//! Where the driver puts an instance when no start is asked for.

use super::board::Board;
use super::capability::{capability, free_starts};
use super::instance::{GpuInstance, ProfileIndex, SliceStart};
use super::slot_mask::SlotMask;

/// Largest number of slots of a board that has a [`PlacementTable`].
const MOST_SLOTS_IN_TABLE: u32 = 16;

/// The start at which NVIDIA's driver puts an instance of `profile` by default: of all legal starts whose slots are not
/// `occupied`, the first one that leaves the greatest capability over the `counted` profiles (Siavashi & Momtazpour,
/// equation (2) and Algorithm 1).
///
/// `None` if no start is free. Limits other than the slots are the caller's to check with [`super::Remaining`]. The
/// paper counts its six profiles, which are the [`super::distinct_profiles`] of an A100.
pub fn default_start(
    board: &Board,
    occupied: SlotMask,
    profile: ProfileIndex,
    counted: &[ProfileIndex],
) -> Option<SliceStart> {
    first_best_start(board, occupied, profile, |occupied| {
        capability(board, board.free_slots(occupied), counted)
    })
}

/// The first free start after which what is then occupied has the greatest `capability`.
fn first_best_start(
    board: &Board,
    occupied: SlotMask,
    profile: ProfileIndex,
    capability: impl Fn(SlotMask) -> u32,
) -> Option<SliceStart> {
    let footprint = |start: SliceStart| board.footprint(GpuInstance { profile, start });
    let starts = board.profile(profile).starts.iter().copied();
    let free = starts.filter(|start| !occupied.intersects(footprint(*start)));
    free.rev().max_by_key(|start| capability(occupied.union(footprint(*start))))
}

/// All default placements of a small board, looked up by its set of occupied slots.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct PlacementTable {
    sizes: Vec<u32>,
    capabilities: Vec<u16>,
    /// Per set of slots, per profile.
    free_starts: Vec<u8>,
    /// Per set of slots, per profile.
    default_starts: Vec<Option<SliceStart>>,
}

impl PlacementTable {
    /// The placements on a board, with the capability over the `counted` profiles; `None` if the board has more than 16
    /// slots. Limits other than the slots do not enter.
    pub fn new(board: &Board, counted: &[ProfileIndex]) -> Option<PlacementTable> {
        if board.slots() > MOST_SLOTS_IN_TABLE {
            return None;
        }
        let masks = || (0..=board.all_slots().0).map(SlotMask);
        let capability_of = |occupied| capability(board, board.free_slots(occupied), counted) as u16;
        let capabilities: Vec<u16> = masks().map(capability_of).collect();
        let states = || masks().flat_map(|occupied| board.profile_indices().map(move |one| (occupied, one)));
        let free_starts_of =
            |(occupied, profile)| free_starts(board, board.free_slots(occupied), profile) as u8;
        let default_start_of = |(occupied, profile)| {
            first_best_start(board, occupied, profile, |mask| u32::from(capabilities[mask.0 as usize]))
        };
        Some(PlacementTable {
            sizes: board.profiles().iter().map(|profile| profile.size).collect(),
            free_starts: states().map(free_starts_of).collect(),
            default_starts: states().map(default_start_of).collect(),
            capabilities,
        })
    }

    /// The capability of a board of which these slots are occupied.
    pub fn capability(&self, occupied: SlotMask) -> u32 {
        u32::from(self.capabilities[occupied.0 as usize])
    }

    /// Number of legal starts of `profile` whose slots are not occupied.
    pub fn free_starts(&self, occupied: SlotMask, profile: ProfileIndex) -> u32 {
        u32::from(self.free_starts[self.state(occupied, profile)])
    }

    /// The [`default_start`]; `None` if no start is free.
    pub fn start(&self, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
        self.default_starts[self.state(occupied, profile)]
    }

    /// The slots that are occupied once an instance of `profile` has been placed; `None` if no start is free.
    pub fn place(&self, occupied: SlotMask, profile: ProfileIndex) -> Option<SlotMask> {
        let start = self.start(occupied, profile)?;
        Some(occupied.union(SlotMask::interval(start, self.sizes[profile.index()])))
    }

    fn state(&self, occupied: SlotMask, profile: ProfileIndex) -> usize {
        occupied.0 as usize * self.sizes.len() + profile.index()
    }
}
