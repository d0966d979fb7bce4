//! How often a rule refuses an instance although a GPU without fixed starts would hold it, with arrivals alone.

use super::board;
use crate::blocked::least_growth;
use crate::halves;
use crate::open_sets::OpenSets;
use crate::starts::{by_name, longest_run, lowest};
use fleet::Placements;
use mig::{Board, Counts, GpuInstance, ProfileIndex, SliceStart, SlotMask, feasible_multisets};
use std::collections::BTreeSet;

/// Pairs of a state that a rule reaches from the empty board and a request with which the instances have a layout: those that the rule
/// refuses, and all.
fn refusals(
    placements: &Placements,
    rule: &mut dyn FnMut(SlotMask, ProfileIndex) -> Option<SliceStart>,
) -> (usize, usize) {
    let (board, profiles) = (placements.board(), placements.counted());
    let feasible: BTreeSet<Counts> = feasible_multisets(board, profiles).into_iter().collect();
    let mut reached: BTreeSet<Vec<GpuInstance>> = BTreeSet::from([Vec::new()]);
    let mut open: Vec<Vec<GpuInstance>> = vec![Vec::new()];
    let (mut avoidable, mut all) = (0, 0);
    while let Some(state) = open.pop() {
        for &profile in profiles {
            let counts = Counts::from_instances(board.profiles().len(), &state).add_one(profile);
            all += usize::from(feasible.contains(&counts));
            match rule(board.used_slots(&state), profile) {
                Some(start) if feasible.contains(&counts) => {
                    let mut next = state.clone();
                    next.push(GpuInstance { profile, start });
                    next.sort_unstable();
                    if reached.insert(next.clone()) {
                        open.push(next);
                    }
                }
                _ => avoidable += usize::from(feasible.contains(&counts)),
            }
        }
    }
    (avoidable, all)
}

fn highest(board: &Board, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
    crate::starts::free(board, occupied, profile).last()
}

/// The numbers were counted by a program in Python that knows the table of profiles and nothing of this crate. That no rule has 0 is
/// proved by hand: a 2g at 0 or 2 blocks the 4g, and one at 4 sends the next 3g to 0.
#[test]
fn on_seven_slices_no_rule_avoids_all_refusals() {
    let placements = Placements::new(&board("A100-80GB"));
    let counted =
        |rule: &mut dyn FnMut(SlotMask, ProfileIndex) -> Option<SliceStart>| refusals(&placements, rule);
    assert_eq!(counted(&mut |occupied, profile| lowest(&placements, occupied, profile)), (82, 314));
    assert_eq!(counted(&mut |occupied, profile| highest(placements.board(), occupied, profile)), (66, 300));
    assert_eq!(counted(&mut |occupied, profile| by_name(&placements, occupied, profile)), (48, 241));
    assert_eq!(counted(&mut |occupied, profile| placements.start(occupied, profile)), (66, 300));
    assert_eq!(counted(&mut |occupied, profile| halves::start(&placements, occupied, profile)), (59, 298));
    assert_eq!(counted(&mut |occupied, profile| longest_run(&placements, occupied, profile)), (20, 266));
    let (board, profiles) = (placements.board(), placements.counted());
    let growth = |occupied, profile| Some(least_growth(board, occupied, profile, profiles)?.1);
    assert_eq!(counted(&mut { growth }), (66, 300));
    let mut sets = OpenSets::default();
    assert_eq!(counted(&mut |occupied, profile| sets.safest(board, occupied, profile, profiles)), (23, 227));
}

#[test]
fn on_boards_of_powers_no_rule_refuses_needlessly() {
    for name in ["A30-24GB", "RTX PRO 6000 Blackwell 96GB"] {
        let placements = Placements::new(&board(name));
        let mut sets = OpenSets::default();
        let rules: [&mut dyn FnMut(SlotMask, ProfileIndex) -> Option<SliceStart>; 7] = [
            &mut |occupied, profile| lowest(&placements, occupied, profile),
            &mut |occupied, profile| highest(placements.board(), occupied, profile),
            &mut |occupied, profile| by_name(&placements, occupied, profile),
            &mut |occupied, profile| placements.start(occupied, profile),
            &mut |occupied, profile| longest_run(&placements, occupied, profile),
            &mut |occupied, profile| halves::start(&placements, occupied, profile),
            &mut |occupied, profile| sets.safest(placements.board(), occupied, profile, placements.counted()),
        ];
        for (position, rule) in rules.into_iter().enumerate() {
            assert_eq!(refusals(&placements, rule).0, 0, "{name}, rule {position}");
        }
    }
}
