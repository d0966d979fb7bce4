//! How many sets of further instances a GPU can still be given.

use super::starts::{after, free};
use mig::{Board, GpuInstance, ProfileIndex, SliceStart, SlotMask};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of slots of a board whose sets are counted.
const MOST_SLOTS: u32 = 16;

/// The numbers of multisets of profiles that fit into sets of free slots of a board, each counted once. Limits other than the slots do
/// not enter.
#[derive(Default)]
pub struct OpenSets(BTreeMap<SlotMask, usize>);

impl OpenSets {
    /// The free start after which most multisets of the given profiles still fit, and of equal ones the lowest. On boards of more than
    /// 16 slots it is the start that leaves most legal starts.
    pub fn safest(
        &mut self,
        board: &Board,
        occupied: SlotMask,
        profile: ProfileIndex,
        profiles: &[ProfileIndex],
    ) -> Option<SliceStart> {
        free(board, occupied, profile).min_by_key(|&start| {
            let left = board.free_slots(after(board, occupied, profile, start));
            let open = match board.slots() <= MOST_SLOTS {
                true => self.count(board, left, profiles),
                false => mig::capability(board, left, profiles) as usize,
            };
            (Reverse(open), start)
        })
    }

    fn count(&mut self, board: &Board, left: SlotMask, profiles: &[ProfileIndex]) -> usize {
        *self.0.entry(left).or_insert_with(|| sets(board, left, profiles, &mut BTreeMap::new()).len())
    }
}

/// The multisets that fit, as numbers of instances by profile.
fn sets(
    board: &Board,
    left: SlotMask,
    profiles: &[ProfileIndex],
    known: &mut BTreeMap<SlotMask, BTreeSet<Vec<u8>>>,
) -> BTreeSet<Vec<u8>> {
    if let Some(found) = known.get(&left) {
        return found.clone();
    }
    let mut found = BTreeSet::from([vec![0; profiles.len()]]);
    if let Some(slot) = left.iter().next() {
        // The lowest free slot stays free, or an instance begins there.
        let rest = left.without(SlotMask::interval(SliceStart(slot as u8), 1));
        found.extend(sets(board, rest, profiles, known));
        for (position, &profile) in profiles.iter().enumerate() {
            let instance = GpuInstance { profile, start: SliceStart(slot as u8) };
            let footprint = board.footprint(instance);
            if board.is_legal(instance) && left.contains(footprint) {
                for mut set in sets(board, left.without(footprint), profiles, known) {
                    set[position] += 1;
                    found.insert(set);
                }
            }
        }
    }
    known.insert(left, found.clone());
    found
}
