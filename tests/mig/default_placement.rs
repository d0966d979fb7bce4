//! NVIDIA's default placement, its tables, and fragmentation, against their definitions.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;
use mig::*;
use support::board;

fn names(board: &Board, profiles: &[ProfileIndex]) -> Vec<String> {
    profiles.iter().map(|profile| board.profile(*profile).name.clone()).collect()
}

/// Every set of slots of a board.
fn masks(board: &Board) -> impl Iterator<Item = SlotMask> + use<> {
    (0..=board.all_slots().0).map(SlotMask)
}

#[test]
fn one_profile_of_each_shape() {
    for (name, expected) in [
        ("A100-40GB", ["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"].as_slice()),
        ("A30-24GB", &["1g.6gb", "2g.12gb", "4g.24gb"]),
        ("RTX PRO 6000 Blackwell 96GB", &["1g.24gb", "2g.48gb", "4g.96gb"]),
    ] {
        let board = board(name);
        assert_eq!(names(&board, &distinct_profiles(&board)), expected);
    }
}

/// The default placement by its definition, for every set of occupied slots, directly and by table.
#[test]
fn the_default_start_leaves_the_greatest_capability() {
    for board in catalogue().boards() {
        let counted = distinct_profiles(board);
        let table = PlacementTable::new(board, &counted).expect("no board has more than 16 slots");
        for occupied in masks(board) {
            assert_eq!(
                table.capability(occupied),
                capability(board, board.free_slots(occupied), &counted),
                "{}",
                board.name()
            );
            for profile in board.profile_indices() {
                let mut best: Option<(u32, SliceStart, SlotMask)> = None;
                let mut free = 0;
                for start in board.profile(profile).starts.iter().copied() {
                    let footprint = board.footprint(GpuInstance { profile, start });
                    if footprint.intersects(occupied) {
                        continue;
                    }
                    free += 1;
                    let after = occupied.union(footprint);
                    let leaves = capability(board, board.free_slots(after), &counted);
                    if best.is_none_or(|(most, ..)| leaves > most) {
                        best = Some((leaves, start, after));
                    }
                }
                let start = best.map(|(_, start, _)| start);
                assert_eq!(default_start(board, occupied, profile, &counted), start);
                assert_eq!(table.start(occupied, profile), start);
                assert_eq!(table.place(occupied, profile), best.map(|(.., after)| after));
                assert_eq!(table.free_starts(occupied, profile), free);
            }
        }
    }
}

/// Siavashi & Momtazpour, section 5.1: the first 1g.5gb goes to block 6, the second one to block 4.
#[test]
fn the_first_starts_on_an_a100() {
    let board = board("A100-40GB");
    let counted = distinct_profiles(&board);
    let table = PlacementTable::new(&board, &counted).expect("8 slots");
    let mut occupied = SlotMask::EMPTY;
    let one = board.find_profile("1g.5gb").expect("known");
    let mut starts = Vec::new();
    while let Some(start) = table.start(occupied, one) {
        starts.push(start.0);
        occupied = table.place(occupied, one).expect("there is a start");
    }
    assert_eq!(starts, [6, 4, 5, 0, 1, 2, 3]);
}

/// What sequential arrivals without departures reach on an A100. The paper says 248 layouts, 172 of them below the best
/// capability of their multiset; its own rule gives these.
#[test]
fn layouts_that_the_default_placement_reaches() {
    let board = board("A100-40GB");
    let six = distinct_profiles(&board);
    let mut reached = BTreeSet::new();
    let mut open = vec![Vec::new()];
    while let Some(layout) = open.pop() {
        let occupied = board.used_slots(&layout);
        for profile in &six {
            if let Some(start) = default_start(&board, occupied, *profile, &six) {
                let added = GpuInstance { profile: *profile, start };
                open.push(layout.iter().copied().chain([added]).sorted().collect());
            }
        }
        reached.insert(layout);
    }
    let of = |layout: &[GpuInstance]| capability(&board, board.free_slots(board.used_slots(layout)), &six);
    let mut best: BTreeMap<Counts, u32> = BTreeMap::new();
    for layout in layouts(&board, &six) {
        let most = best.entry(Counts::from_instances(board.profiles().len(), &layout)).or_default();
        *most = of(&layout).max(*most);
    }
    let is_below = |layout: &&Vec<GpuInstance>| {
        of(layout) < best[&Counts::from_instances(board.profiles().len(), layout)]
    };
    assert_eq!(reached.len(), 179);
    assert_eq!(reached.iter().filter(is_below).count(), 59);
}

#[test]
fn only_small_boards_have_a_table() {
    let geometry = |slots| Geometry {
        slots,
        compute: slots,
        profiles: vec![ProfileGeometry {
            name: "p".to_owned(),
            compute: 1,
            size: 2,
            starts: (0..slots as u8 - 1).collect(),
            maximum: None,
            aliases: Vec::new(),
            engines: None,
        }],
    };
    let small = Board::from_geometry("small", &geometry(16)).expect("valid");
    let large = Board::from_geometry("large", &geometry(17)).expect("valid");
    let profile = ProfileIndex(0);
    let table = PlacementTable::new(&small, &[profile]).expect("16 slots");
    assert_eq!(table.start(SlotMask::first(3), profile), Some(SliceStart(3)));
    assert_eq!(table.start(small.all_slots(), profile), None);
    assert_eq!(PlacementTable::new(&large, &[profile]), None);
    assert_eq!(default_start(&large, SlotMask::first(3), profile, &[profile]), Some(SliceStart(3)));
}

/// 1g.5gb comes first and leaves nothing but slot 7.
#[test]
fn the_literal_fragmentation_of_an_a100_says_whether_slot_7_is_free() {
    let board = board("A100-40GB");
    let six = distinct_profiles(&board);
    for occupied in masks(&board) {
        let expected = u128::from(!occupied.intersects(SlotMask::interval(SliceStart(7), 1)));
        let value = fragmentation(&board, occupied, &six, FragmentationReading::Literal);
        assert_eq!(value, expected * FRAGMENTATION_UNIT, "{occupied:?}");
    }
}

/// The values of an independent program, in eighths.
#[test]
fn the_fragmentation_of_an_a100_with_a_fresh_copy_for_every_profile() {
    let board = board("A100-40GB");
    let six = distinct_profiles(&board);
    let eighths = |occupied| {
        let value = fragmentation(&board, occupied, &six, FragmentationReading::Reset);
        assert_eq!(value * 8 % FRAGMENTATION_UNIT, 0);
        value * 8 / FRAGMENTATION_UNIT
    };
    assert_eq!(eighths(SlotMask::EMPTY), 24);
    assert_eq!(eighths(board.all_slots()), 0);
    assert_eq!(eighths([1, 3, 5].into_iter().collect()), 60);
    assert_eq!(masks(&board).map(eighths).max(), Some(60));
    assert_eq!(masks(&board).map(eighths).sum::<u128>(), 1_044 * 8);
}

#[test]
fn the_unit_of_fragmentation_has_a_part_for_every_size() {
    assert!((1..=64).all(|size| FRAGMENTATION_UNIT.is_multiple_of(size)));
}
