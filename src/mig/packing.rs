//! The one recursion behind all counting: intervals are laid out from the lowest slot to the highest.
//!
//! Instances are intervals of slots, so a layout is read from left to right: at every slot either nothing begins, or
//! an instance begins and the next decision is at the slot after its end. The states "next slot, counts so far" are
//! few even where the layouts are many.

use std::collections::BTreeMap;

use super::counts::Counts;
use super::instance::{GpuInstance, ProfileIndex};
use super::profile::Profile;
use super::slot_mask::SlotMask;

/// Largest number of multisets that a board may have; the boards of the catalogue have at most some hundreds.
pub(super) const MULTISET_BUDGET: usize = 50_000;

/// Everything that can begin at one slot of a board.
pub(super) fn instances_at(profiles: &[Profile], slot: u32) -> impl Iterator<Item = GpuInstance> {
    (0u8..).map(ProfileIndex).zip(profiles).flat_map(move |(profile, kind)| {
        let start = kind.starts.iter().copied().find(|start| u32::from(start.0) == slot);
        start.map(|start| GpuInstance { profile, start })
    })
}

/// The multisets that have a layout in the `free` ones of `slots` slots, each with the least total `cost` of its
/// layouts.
///
/// A multiset that is not `admitted` is dropped together with all multisets above it. `None` if there are more than
/// [`MULTISET_BUDGET`] multisets.
pub(super) fn cheapest_packings(
    profiles: &[Profile],
    slots: u32,
    free: SlotMask,
    cost: impl Fn(GpuInstance) -> u32,
    admitted: impl Fn(&Counts) -> bool,
) -> Option<BTreeMap<Counts, u32>> {
    let mut reached = vec![BTreeMap::new(); slots as usize + 1];
    reached[0].insert(Counts::zero(profiles.len()), 0);
    for slot in 0..slots {
        let here = std::mem::take(&mut reached[slot as usize]);
        for instance in instances_at(profiles, slot) {
            let size = profiles[instance.profile.index()].size;
            if !free.contains(SlotMask::interval(instance.start, size)) {
                continue;
            }
            let price = cost(instance);
            for (counts, total) in &here {
                let more = counts.add_one(instance.profile);
                if admitted(&more) {
                    keep_cheaper(&mut reached[(slot + size) as usize], more, total + price);
                }
            }
        }
        let next = &mut reached[slot as usize + 1];
        for (counts, total) in here {
            keep_cheaper(next, counts, total);
        }
        if reached.iter().any(|states| states.len() > MULTISET_BUDGET) {
            return None;
        }
    }
    reached.pop()
}

fn keep_cheaper(states: &mut BTreeMap<Counts, u32>, counts: Counts, total: u32) {
    states.entry(counts).and_modify(|known| *known = (*known).min(total)).or_insert(total);
}
