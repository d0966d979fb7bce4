//! Verdicts.

use super::board;
use super::played::{Outcome, fits, outcome, wins};
use crate::{Reason, Trap, Verdict, judge, succeeds_in_order};
use mig::{Board, Counts, Geometry, GpuInstance, ProfileGeometry, ProfileIndex, feasible_multisets};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeSet;

fn outcome_of(verdict: &Verdict) -> Outcome {
    match verdict {
        Verdict::Safe { .. } => Outcome::EveryOrder,
        Verdict::SafeInOrder { .. } => Outcome::SomeOrder,
        Verdict::DependsOnDriver { .. } => Outcome::NoOrder,
        Verdict::Impossible(_) => Outcome::NoLayout,
    }
}

/// Compares a verdict, and all that it says, with the game.
fn compare(board: &Board, counts: &Counts) -> Outcome {
    let verdict = judge(board, counts);
    let played = outcome(board, counts);
    let name = board.counts_name(counts);
    assert_eq!(outcome_of(&verdict), played, "{name}");
    if let Some(layout) = verdict.layout() {
        assert_eq!(Counts::from_instances(counts.len(), layout), *counts, "{name}");
        assert!(layout.iter().all(|instance| board.is_legal(*instance)), "{name}");
        assert_disjoint(board, layout);
    }
    match &verdict {
        Verdict::SafeInOrder { order, trap, .. } => {
            assert_eq!(order.len(), counts.total() as usize);
            order
                .iter()
                .fold(counts.clone(), |rest, profile| rest.remove_one(*profile).expect("nothing more"));
            assert!(wins(board, order), "{name}: {order:?}");
            assert!(succeeds_in_order(board, order), "{name}");
            assert_trap(board, counts, trap);
        }
        Verdict::DependsOnDriver { trap, .. } => assert_trap(board, counts, trap),
        Verdict::Impossible(impossible) => {
            let smallest = &impossible.smallest;
            assert!(smallest.fits_within(counts) && !fits(board, smallest), "{name}");
            assert!(!impossible.reasons.is_empty(), "{name}");
            let mut parts = Vec::new();
            parts_of(counts, 0, &mut Counts::zero(counts.len()), &mut parts);
            let least = parts.iter().filter(|part| !fits(board, part)).map(Counts::total).min();
            assert_eq!(least, Some(smallest.total()), "{name}");
        }
        Verdict::Safe { .. } => {}
    }
    played
}

fn assert_disjoint(board: &Board, instances: &[GpuInstance]) {
    let sizes: u32 = instances.iter().map(|instance| board.profile(instance.profile).size).sum();
    assert_eq!(board.used_slots(instances).count(), sizes);
}

/// What stands is a legal part of the multiset without the one refused, for which no start is left.
fn assert_trap(board: &Board, counts: &Counts, trap: &Trap) {
    assert_disjoint(board, &trap.standing);
    assert!(trap.standing.iter().all(|instance| board.is_legal(*instance)));
    let standing = Counts::from_instances(counts.len(), &trap.standing);
    assert!(standing.add_one(trap.refused).fits_within(counts));
    let used = board.used_slots(&trap.standing);
    let starts = &board.profile(trap.refused).starts;
    let footprint = |start| board.footprint(GpuInstance { profile: trap.refused, start });
    assert!(starts.iter().all(|&start| footprint(start).intersects(used)));
}

fn parts_of(counts: &Counts, profile: usize, part: &mut Counts, parts: &mut Vec<Counts>) {
    if profile == counts.len() {
        parts.push(part.clone());
        return;
    }
    let index = ProfileIndex(profile as u8);
    for count in 0..=counts.get(index) {
        part.set(index, count);
        parts_of(counts, profile + 1, part, parts);
    }
    part.set(index, 0);
}

/// The non-empty multisets of the named profiles that fit.
fn multisets(board: &Board, names: &[&str]) -> Vec<Counts> {
    let profiles: Vec<ProfileIndex> = names.iter().map(|name| board.find_profile(name).unwrap()).collect();
    feasible_multisets(board, &profiles).into_iter().filter(|counts| !counts.is_zero()).collect()
}

const OF_A100: [&str; 6] = ["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"];

fn tally(board: &Board, all: &[Counts]) -> [usize; 3] {
    let outcomes: Vec<Outcome> = all.iter().map(|counts| compare(board, counts)).collect();
    [Outcome::EveryOrder, Outcome::SomeOrder, Outcome::NoOrder]
        .map(|wanted| outcomes.iter().filter(|&&outcome| outcome == wanted).count())
}

#[test]
fn sets_of_all_families_are_judged_as_the_game_ends() {
    let a100 = board("A100-40GB");
    assert_eq!(tally(&a100, &multisets(&a100, &OF_A100)), [34, 32, 11]);
    let a30 = board("A30");
    assert_eq!(tally(&a30, &multisets(&a30, &["1g.6gb", "2g.12gb", "4g.24gb"])), [8, 1, 0]);
    let rtx = board("RTX PRO 6000");
    assert_eq!(tally(&rtx, &multisets(&rtx, &["1g.24gb", "2g.48gb", "4g.96gb"])), [8, 1, 0]);
}

#[test]
fn eleven_sets_have_no_safe_order() {
    let board = board("A100-40GB");
    let set = |counts: [u32; 6]| {
        let mut set = Counts::zero(board.profiles().len());
        for (name, count) in OF_A100.iter().zip(counts) {
            set.set(board.find_profile(name).unwrap(), count);
        }
        set
    };
    // 1g, 1g with twice the memory, 2g, 3g, 4g, 7g.
    let eleven: BTreeSet<Counts> = [
        [0, 0, 2, 1, 0, 0],
        [2, 0, 1, 1, 0, 0],
        [4, 0, 0, 1, 0, 0],
        [2, 1, 0, 1, 0, 0],
        [2, 1, 0, 0, 1, 0],
        [2, 1, 2, 0, 0, 0],
        [2, 2, 1, 0, 0, 0],
        [2, 3, 0, 0, 0, 0],
        [4, 1, 1, 0, 0, 0],
        [4, 2, 0, 0, 0, 0],
        [6, 1, 0, 0, 0, 0],
    ]
    .map(set)
    .into();
    let all = multisets(&board, &OF_A100);
    let depends = |counts: &&Counts| matches!(judge(&board, counts), Verdict::DependsOnDriver { .. });
    assert_eq!(all.iter().filter(depends).cloned().collect::<BTreeSet<_>>(), eleven);
}

/// How many sets come about whatever the driver does if profiles are created in this order.
fn sets_safe_in<K: Ord>(key: impl Fn(u32, u32) -> K) -> usize {
    let board = board("A100-40GB");
    let safe = |counts: &&Counts| {
        let each = counts.iter().flat_map(|(profile, count)| (0..count).map(move |_| profile));
        let mut order: Vec<ProfileIndex> = each.collect();
        order.sort_by_key(|profile| {
            let profile = board.profile(*profile);
            key(profile.size, profile.compute)
        });
        assert_eq!(succeeds_in_order(&board, &order), wins(&board, &order));
        wins(&board, &order)
    };
    multisets(&board, &OF_A100).iter().filter(safe).count()
}

#[test]
fn known_orders_are_safe_for_most_sets() {
    assert_eq!(sets_safe_in(|size, compute| (Reverse(size), Reverse(compute))), 66);
    // mig-parted's order, with the small memory first.
    assert_eq!(sets_safe_in(|size, compute| (Reverse(compute), size)), 62);
}

#[test]
fn every_set_of_every_board_is_judged_as_the_game_ends() {
    for board in mig::catalogue().boards() {
        let profiles: Vec<ProfileIndex> = board.profile_indices().collect();
        let all = feasible_multisets(board, &profiles);
        assert!(all.len() > 10);
        for counts in all {
            compare(board, &counts);
        }
    }
}

#[test]
fn what_does_not_fit_is_told_by_its_smallest_part() {
    let board = board("A100-40GB");
    let impossible = |named: &[(&str, u32)]| {
        let mut counts = Counts::zero(board.profiles().len());
        for (name, count) in named {
            counts.set(board.find_profile(name).unwrap(), *count);
        }
        let Verdict::Impossible(impossible) = judge(&board, &counts) else { panic!("{named:?} fits") };
        (board.counts_name(&impossible.smallest), impossible.reasons)
    };
    let limit = |of: &str, needed, available| Reason::Limit { of: of.to_owned(), needed, available };
    assert_eq!(
        impossible(&[("1g.10gb", 4), ("1g.5gb", 3)]),
        ("1g.5gb + 4 x 1g.10gb".to_owned(), vec![Reason::Slots { needed: 9, available: 8 }])
    );
    let (smallest, reasons) = impossible(&[("4g.20gb", 2), ("1g.5gb", 1)]);
    assert_eq!(smallest, "2 x 4g.20gb");
    assert!(
        matches!(&reasons[0], Reason::Starts { starts } if starts == "4g.20gb of 4 slots at 0"),
        "{reasons:?}"
    );
    assert!(reasons.contains(&limit("compute slices", 8, 7)));
    let (smallest, reasons) = impossible(&[("2g.10gb", u32::MAX)]);
    assert_eq!(smallest, "4 x 2g.10gb");
    assert!(
        matches!(&reasons[0], Reason::Starts { .. })
            && reasons.contains(&limit("instances of 2g.10gb", 4, 3))
    );
    let (smallest, reasons) = impossible(&[("1g.5gb+me", 2)]);
    assert_eq!(smallest, "2 x 1g.5gb+me");
    assert!(reasons.contains(&limit("optical flow accelerators (OFA)", 2, 1)), "{reasons:?}");
    assert!(reasons.iter().all(|reason| matches!(reason, Reason::Limit { .. })));
}

/// A board with profiles given by size and starts.
fn own_board(slots: u32, profiles: &[(u32, Vec<u8>)]) -> Option<Board> {
    let profile = |(index, (size, starts)): (usize, &(u32, Vec<u8>))| ProfileGeometry {
        name: format!("p{index}"),
        compute: 1,
        size: *size,
        starts: starts.clone(),
        maximum: None,
        aliases: Vec::new(),
        engines: None,
    };
    let profiles = profiles.iter().enumerate().map(profile).collect();
    Board::from_geometry("own", &Geometry { slots, compute: slots, profiles }).ok()
}

/// Sizes that are powers of two, each at its multiples: then the largest first always fits.
#[test]
fn sixty_four_slots_are_judged() {
    let multiples = |size: u32| (0..64).step_by(size as usize).map(|start| start as u8).collect();
    let sizes = [1u32, 2, 4, 8, 16, 32];
    let board = own_board(64, &sizes.map(|size| (size, multiples(size)))).unwrap();
    for counts in
        [[64, 0, 0, 0, 0, 0], [8, 4, 2, 1, 1, 0], [2, 1, 1, 1, 1, 1], [30, 1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 2]]
    {
        let total: u32 = counts.iter().zip(sizes).map(|(count, size)| count * size).sum();
        assert!(total <= 64);
        let counts = Counts::from(counts.to_vec());
        let verdict = judge(&board, &counts);
        let kinds = counts.iter().count();
        // One size alone is safe; several are not when the rest of the board can be dotted with the small ones.
        if kinds == 1 {
            assert!(matches!(verdict, Verdict::Safe { .. }), "{counts:?}");
        } else {
            let Verdict::SafeInOrder { order, trap, .. } = verdict else { panic!("{counts:?}: {verdict:?}") };
            assert_trap(&board, &counts, &trap);
            assert!(succeeds_in_order(&board, &order));
        }
    }
    let too_many = Counts::from(vec![1, 0, 0, 0, 0, 2]);
    let Verdict::Impossible(impossible) = judge(&board, &too_many) else { panic!("65 slots of 64") };
    assert_eq!(impossible.smallest, too_many);
}

fn small_board() -> impl Strategy<Value = Board> {
    let slots = 3..=8u32;
    let drawn = slots.prop_flat_map(|slots| {
        let profile = (1..=slots.min(5)).prop_flat_map(move |size| {
            let starts: Vec<u8> = (0..=(slots - size) as u8).collect();
            let most = starts.len();
            (Just(size), proptest::sample::subsequence(starts, 1..=most))
        });
        (Just(slots), proptest::collection::vec(profile, 1..=4))
    });
    drawn.prop_filter_map("a geometry", |(slots, profiles)| own_board(slots, &profiles))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn sets_of_any_board_are_judged_as_the_game_ends(
        board in small_board(),
        drawn in proptest::collection::vec(0..4u32, 4),
    ) {
        let counts: Vec<u32> = drawn.into_iter().take(board.profiles().len()).collect();
        let counts = Counts::from(counts);
        prop_assume!(counts.total() <= 6);
        compare(&board, &counts);
    }
}
