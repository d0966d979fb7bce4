//! Measures against their definitions, written down once more in slots.

use super::board;
use crate::blocked::blocked;
use crate::halves;
use crate::open_sets::OpenSets;
use fleet::Placements;
use mig::{Board, GpuInstance, ProfileIndex, SlotMask, arrangements, distinct_profiles, feasible_multisets};

const BOARDS: [&str; 3] = ["A100-40GB", "A30-24GB", "RTX PRO 6000 Blackwell 96GB"];

/// Whether the slots from a start on are free, and how many are.
fn is_free(board: &Board, occupied: SlotMask, profile: ProfileIndex, start: u8) -> bool {
    let size = board.profile(profile).size;
    (0..size).all(|slot| occupied.0 >> (u32::from(start) + slot) & 1 == 0)
}

#[test]
fn blocked_starts_are_counted_as_defined() {
    for name in BOARDS {
        let board = board(name);
        let profiles = distinct_profiles(&board);
        for occupied in (0..1 << board.slots()).map(SlotMask) {
            let free = board.slots() - occupied.0.count_ones();
            let mut expected = 0;
            for &profile in &profiles {
                let about = board.profile(profile);
                let starts = about.starts.iter();
                let blocked = starts.filter(|start| !is_free(&board, occupied, profile, start.0)).count();
                expected += if about.size > free { 0 } else { about.size as usize * blocked };
            }
            assert_eq!(blocked(&board, occupied, &profiles), expected as i64, "{name} {occupied:?}");
        }
    }
}

/// The multisets that have an arrangement in what is left.
#[test]
fn the_safest_start_leaves_most_sets() {
    for name in ["A30-24GB", "A100-40GB"] {
        let board = board(name);
        let profiles = distinct_profiles(&board);
        let multisets = feasible_multisets(&board, &profiles);
        let mut sets = OpenSets::default();
        for occupied in (0..1 << board.slots()).step_by(5).map(SlotMask) {
            for &profile in &profiles {
                let starts = board.profile(profile).starts.iter().copied();
                let free = starts.filter(|start| is_free(&board, occupied, profile, start.0));
                let open = |start| {
                    let then = occupied.union(board.footprint(GpuInstance { profile, start }));
                    // Limits of the empty board, which the slots of these boards imply.
                    multisets.iter().filter(|set| !arrangements(&board, then, set).is_empty()).count()
                };
                let expected = free.map(|start| (open(start), std::cmp::Reverse(start))).max();
                let found = sets.safest(&board, occupied, profile, &profiles);
                assert_eq!(found, expected.map(|(_, start)| start.0), "{name} {occupied:?} {profile:?}");
            }
        }
    }
}

/// Worked out from the rule: what takes a half goes to the upper one, the rest is filled from the outer edge of the lower one.
#[test]
fn halves_are_kept_untouched() {
    let placements = Placements::new(&board("A100-40GB"));
    let board = placements.board();
    let start = |occupied: &[u32], name: &str| {
        let occupied: SlotMask = occupied.iter().copied().collect();
        halves::start(&placements, occupied, board.find_profile(name).unwrap()).map(|start| start.0)
    };
    assert_eq!(start(&[], "3g.20gb"), Some(4));
    assert_eq!(start(&[], "4g.20gb"), Some(0));
    assert_eq!(start(&[], "2g.10gb"), Some(0));
    assert_eq!(start(&[], "1g.5gb"), Some(0));
    assert_eq!(start(&[0], "1g.5gb"), Some(1));
    assert_eq!(start(&[0], "2g.10gb"), Some(2));
    assert_eq!(start(&[0, 1, 2, 3], "1g.5gb"), Some(6));
    assert_eq!(start(&[0, 1, 2, 3, 4, 5, 6, 7], "1g.5gb"), None);
    assert_eq!(start(&[0], "4g.20gb"), None);
    assert_eq!(start(&[4, 5, 6, 7], "3g.20gb"), Some(0));
}
