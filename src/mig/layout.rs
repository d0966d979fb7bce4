//! Layouts: sets of GPU instances that do not overlap.

use std::collections::{BTreeMap, BTreeSet};

use super::board::Board;
use super::instance::{GpuInstance, ProfileIndex};
use super::packing::instances_at;
use super::remaining::Remaining;
use super::slot_mask::SlotMask;

/// All layouts of the given profiles on a board, the empty one included.
///
/// Instances within a layout and the layouts themselves are in ascending order. The number of layouts can be
/// exponential in the number of slots: an A100 has 723 without the `+me` profile and 2,319 with it.
pub fn layouts(board: &Board, profiles: &[ProfileIndex]) -> Vec<Vec<GpuInstance>> {
    let mut found = Vec::new();
    let mut standing = Vec::new();
    extend(board, profiles, 0, &board.full_limits(), &mut standing, &mut found);
    found.sort_unstable();
    found
}

/// The layouts of the given profiles to which no further instance of them can be added.
pub fn terminal_layouts(board: &Board, profiles: &[ProfileIndex]) -> Vec<Vec<GpuInstance>> {
    let mut found = layouts(board, profiles);
    found.retain(|layout| is_terminal(board, profiles, layout));
    found
}

/// Whether no instance of the given profiles can be added to the layout as it stands.
pub fn is_terminal(board: &Board, profiles: &[ProfileIndex], layout: &[GpuInstance]) -> bool {
    let free = board.free_slots(board.used_slots(layout));
    let counts = super::Counts::from_instances(board.profiles().len(), layout);
    let remaining = board.full_limits().after(board, &counts);
    let addable = |profile: &ProfileIndex| {
        let allowed = remaining.as_ref().is_some_and(|remaining| remaining.take(board, *profile).is_some());
        let fits = |start| free.contains(board.footprint(GpuInstance { profile: *profile, start }));
        allowed && board.profile(*profile).starts.iter().copied().any(fits)
    };
    !profiles.iter().any(addable)
}

/// All sets of slots that the layouts of a board occupy, in ascending order.
pub fn occupancy_masks(board: &Board) -> Vec<SlotMask> {
    let masks: BTreeSet<SlotMask> = smallest_layouts(board, usize::MAX)
        .expect("there is no budget to exceed")
        .into_keys()
        .map(|(occupied, _)| occupied)
        .collect();
    masks.into_iter().collect()
}

/// The states that layouts can bring a board into, as occupied slots and remaining limits, each with one of the layouts
/// of fewest instances that lead there. `None` if there are more than `budget` states.
pub(super) fn smallest_layouts(
    board: &Board,
    budget: usize,
) -> Option<BTreeMap<(SlotMask, Remaining), Vec<GpuInstance>>> {
    let slots = board.slots();
    let mut reached = vec![BTreeMap::new(); slots as usize + 1];
    reached[0].insert((SlotMask::EMPTY, board.full_limits()), Vec::new());
    for slot in 0..slots {
        let here = std::mem::take(&mut reached[slot as usize]);
        for instance in instances_at(board.profiles(), slot) {
            let next = &mut reached[(slot + board.profile(instance.profile).size) as usize];
            for ((occupied, remaining), layout) in &here {
                if let Some(remaining) = remaining.take(board, instance.profile) {
                    let longer: Vec<GpuInstance> = layout.iter().copied().chain([instance]).collect();
                    keep_smaller(next, (occupied.union(board.footprint(instance)), remaining), longer);
                }
            }
        }
        for (state, layout) in here {
            keep_smaller(&mut reached[slot as usize + 1], state, layout);
        }
        if reached.iter().any(|states| states.len() > budget) {
            return None;
        }
    }
    reached.pop()
}

fn keep_smaller<S: Ord>(states: &mut BTreeMap<S, Vec<GpuInstance>>, state: S, layout: Vec<GpuInstance>) {
    match states.get_mut(&state) {
        Some(known) if known.len() <= layout.len() => {}
        Some(known) => *known = layout,
        None => {
            states.insert(state, layout);
        }
    }
}

/// Adds all layouts that extend `standing` by instances from `slot` on.
fn extend(
    board: &Board,
    profiles: &[ProfileIndex],
    slot: u32,
    remaining: &Remaining,
    standing: &mut Vec<GpuInstance>,
    found: &mut Vec<Vec<GpuInstance>>,
) {
    if slot == board.slots() {
        let mut layout = standing.clone();
        layout.sort_unstable();
        found.push(layout);
        return;
    }
    extend(board, profiles, slot + 1, remaining, standing, found);
    for instance in instances_at(board.profiles(), slot) {
        if !profiles.contains(&instance.profile) {
            continue;
        }
        if let Some(remaining) = remaining.take(board, instance.profile) {
            standing.push(instance);
            let end = slot + board.profile(instance.profile).size;
            extend(board, profiles, end, &remaining, standing, found);
            standing.pop();
        }
    }
}
