//! Counts of layouts, multisets and states on the catalogue's boards.
//!
//! The numbers are those of Siavashi & Momtazpour (arXiv 2502.01909), of MIGRator's 12 configurations and of Turkkan et
//! al., recomputed independently with another program.

use std::collections::{BTreeMap, BTreeSet};

use mig::*;
use support::board;

fn named(board: &Board, names: &[&str]) -> Vec<ProfileIndex> {
    names.iter().map(|name| board.find_profile(name).expect("the board has the profile")).collect()
}

fn all(board: &Board) -> Vec<ProfileIndex> {
    board.profile_indices().collect()
}

fn without_me(board: &Board) -> Vec<ProfileIndex> {
    board.profile_indices().filter(|index| !board.profile(*index).name.ends_with("+me")).collect()
}

fn counts_of(board: &Board, layout: &[GpuInstance]) -> Counts {
    Counts::from_instances(board.profiles().len(), layout)
}

fn free(board: &Board, layout: &[GpuInstance]) -> SlotMask {
    board.free_slots(board.used_slots(layout))
}

fn starts_per_profile(board: &Board, layout: &[GpuInstance], profiles: &[ProfileIndex]) -> Vec<u32> {
    profiles.iter().map(|profile| free_starts(board, free(board, layout), *profile)).collect()
}

#[test]
fn layouts_of_the_a100() {
    let board = board("A100-40GB");
    let six = without_me(&board);
    assert_eq!(six.len(), 6);
    assert_eq!(layouts(&board, &six).len(), 723);
    assert_eq!(terminal_layouts(&board, &six).len(), 78);
    let legal = layouts(&board, &all(&board));
    assert_eq!(legal.len(), 2_319);
    for layout in &legal {
        let slots: u32 = layout.iter().map(|instance| board.footprint(*instance).count()).sum();
        assert_eq!(board.used_slots(layout).count(), slots, "no overlap");
        assert!(layout.iter().all(|instance| board.is_legal(*instance)));
        assert!(board.full_limits().after(&board, &counts_of(&board, layout)).is_some());
    }
    assert!(legal.windows(2).all(|pair| pair[0] < pair[1]), "sorted and distinct");
}

#[test]
fn multisets_of_the_a100() {
    let board = board("A100-40GB");
    let (all, six) = (all(&board), without_me(&board));
    assert_eq!(feasible_multisets(&board, &all).len(), 128);
    assert_eq!(maximal_multisets(&board, &all).len(), 44);
    assert_eq!(feasible_multisets(&board, &six).len(), 78);
    assert_eq!(maximal_multisets(&board, &six).len(), 28);
    assert_eq!(patterns(&board).maximal().len(), 44);
}

#[test]
fn multisets_of_the_other_geometries() {
    let a30 = board("A30-24GB");
    assert_eq!(feasible_multisets(&a30, &all(&a30)).len(), 20);
    assert_eq!(maximal_multisets(&a30, &all(&a30)).len(), 8);
    assert_eq!(feasible_multisets(&a30, &without_me(&a30)).len(), 10);
    assert_eq!(maximal_multisets(&a30, &without_me(&a30)).len(), 4);
    let rtx = board("RTX PRO 6000 Blackwell 96GB");
    let base = named(&rtx, &["1g.24gb", "2g.48gb", "4g.96gb"]);
    assert_eq!(feasible_multisets(&rtx, &base).len(), 10);
    assert_eq!(maximal_multisets(&rtx, &base).len(), 4);
    assert_eq!(rtx.profiles().len(), 11);
    assert_eq!(feasible_multisets(&rtx, &all(&rtx)).len(), 115);
    assert_eq!(maximal_multisets(&rtx, &all(&rtx)).len(), 64);
}

#[test]
fn the_twelve_configurations_of_migrator() {
    let board = board("A100-40GB");
    let five = named(&board, &["1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"]);
    let maximal = maximal_multisets(&board, &five);
    let mut found: Vec<Vec<u32>> =
        maximal.iter().map(|counts| five.iter().map(|profile| counts.get(*profile)).collect()).collect();
    found.sort_unstable();
    let mut expected = vec![
        vec![7, 0, 0, 0, 0],
        vec![5, 1, 0, 0, 0],
        vec![4, 0, 1, 0, 0],
        vec![3, 2, 0, 0, 0],
        vec![3, 0, 0, 1, 0],
        vec![2, 1, 1, 0, 0],
        vec![1, 3, 0, 0, 0],
        vec![1, 1, 0, 1, 0],
        vec![0, 2, 1, 0, 0],
        vec![0, 0, 2, 0, 0],
        vec![0, 0, 1, 1, 0],
        vec![0, 0, 0, 0, 1],
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(terminal_layouts(&board, &five).len(), 19);
}

#[test]
fn capability_and_suboptimal_layouts_of_the_a100() {
    let board = board("A100-40GB");
    let six = without_me(&board);
    let free_slots: SlotMask = [1, 2, 4, 5, 6, 7].into_iter().collect();
    assert_eq!(capability(&board, free_slots, &six), 9);
    let mut of_multiset: BTreeMap<Counts, Vec<(u32, Vec<u32>)>> = BTreeMap::new();
    for layout in layouts(&board, &six) {
        let starts = starts_per_profile(&board, &layout, &six);
        of_multiset.entry(counts_of(&board, &layout)).or_default().push((starts.iter().sum(), starts));
    }
    let (mut suboptimal, mut less_well) = (0, 0);
    for arrangements in of_multiset.values() {
        let best = arrangements.iter().map(|(capability, _)| *capability).max().expect("not empty");
        suboptimal += arrangements.iter().filter(|(capability, _)| *capability < best).count();
        let serves_some_better = |one: &(u32, Vec<u32>), other: &(u32, Vec<u32>)| {
            other.0 <= one.0 && other.1.iter().zip(&one.1).any(|(other, one)| other > one)
        };
        let improved =
            arrangements.iter().filter(|one| arrangements.iter().any(|other| serves_some_better(one, other)));
        less_well += improved.count();
    }
    assert_eq!(of_multiset.len(), 78);
    assert_eq!(suboptimal, 482);
    assert_eq!(less_well, 138);
}

/// Every multiset has one arrangement that leaves the most free starts for every profile at once.
#[test]
fn the_best_arrangement_dominates_on_the_three_geometries() {
    for (name, multisets) in [("A100-40GB", 128), ("A30-24GB", 20), ("RTX PRO 6000 Blackwell 96GB", 115)] {
        let board = board(name);
        let all = all(&board);
        let feasible = feasible_multisets(&board, &all);
        assert_eq!(feasible.len(), multisets);
        for counts in feasible {
            let best = best_arrangement(&board, &counts).expect("feasible");
            let reached = starts_per_profile(&board, &best, &all);
            for other in arrangements(&board, SlotMask::EMPTY, &counts) {
                let starts = starts_per_profile(&board, &other, &all);
                assert!(reached.iter().zip(&starts).all(|(best, other)| best >= other), "{name} {counts:?}");
            }
        }
    }
}

/// Sums of compute slices and memory slots promise too much as soon as instances are fixed.
#[test]
fn assumption_1_fails_with_fixed_instances() {
    let board = board("A100-80GB");
    let six = without_me(&board);
    let sums = |counts: &Counts| -> (u32, u32) {
        counts.iter().fold((0, 0), |(compute, size), (profile, count)| {
            let profile = board.profile(profile);
            (compute + count * profile.compute, size + count * profile.size)
        })
    };
    let multisets = feasible_multisets(&board, &six);
    let (mut states, mut bad_states, mut pairs, mut bad_pairs) = (0, 0, 0, 0);
    for layout in layouts(&board, &six) {
        let standing = counts_of(&board, &layout);
        let (used_compute, used_size) = sums(&standing);
        let fills = fill_table(&board, board.used_slots(&layout), &board.full_limits());
        let mut refused = 0;
        for added in &multisets {
            let (compute, size) = sums(added);
            let within_maxima = six.iter().all(|profile| {
                standing.get(*profile) + added.get(*profile) <= board.profile(*profile).maximum
            });
            if used_compute + compute <= board.compute() && used_size + size <= board.slots() && within_maxima
            {
                pairs += 1;
                refused += u32::from(!fills.allows(added));
            }
        }
        states += 1;
        bad_states += u32::from(refused > 0);
        bad_pairs += refused;
    }
    assert_eq!((states, bad_states), (723, 500));
    assert_eq!((pairs, bad_pairs), (6_969, 2_006));
}

#[test]
fn free_partitions_of_the_a100() {
    let board = board("A100-80GB");
    let masks = occupancy_masks(&board);
    assert_eq!(masks.len(), 192);
    let kinds: BTreeSet<Vec<(u32, u32)>> = masks
        .iter()
        .map(|occupied| {
            let mut kind: Vec<(u32, u32)> = free_partitions(&board, *occupied)
                .iter()
                .map(|partition| (partition.compute, partition.size))
                .collect();
            kind.sort_unstable();
            kind
        })
        .collect();
    assert_eq!(kinds.len(), 27);
    assert_eq!(kinds.iter().filter(|kind| kind.len() >= 2).count(), 20);
    for occupied in masks {
        let remaining = board.full_limits();
        assert_eq!(
            partition_fill_table(&board, occupied, &remaining),
            fill_table(&board, occupied, &remaining)
        );
    }
}

/// The states of a board as the program for many GPUs sees them: standing counts and kinds of free partitions.
#[test]
fn classes_and_fills_of_the_a100() {
    let board = board("A100-80GB");
    let six = without_me(&board);
    let core = |counts: &Counts| counts.iter().all(|(profile, _)| six.contains(&profile));
    let fills: usize = occupancy_masks(&board)
        .into_iter()
        .map(|occupied| {
            fill_table(&board, occupied, &board.full_limits()).waste_of.into_keys().filter(core).count()
        })
        .sum();
    assert_eq!(fills, 2_193);
    let classes: BTreeSet<_> = layouts(&board, &all(&board))
        .iter()
        .map(|layout| {
            let partitions = free_partitions(&board, board.used_slots(layout));
            let mut kinds: Vec<_> =
                partitions.iter().map(|partition| (partition.compute, partition.size)).collect();
            kinds.sort_unstable();
            (counts_of(&board, layout), kinds)
        })
        .collect();
    assert_eq!(classes.len(), 295);
}

/// The GPU of Fig. 7 of Turkkan et al.: 1g.10gb stands at 0, 5 and 6.
#[test]
fn free_partitions_of_figure_7() {
    let board = board("A100-80GB");
    let profile = board.find_profile("1g.10gb").expect("the board has it");
    let standing = [0, 5, 6].map(|start| GpuInstance { profile, start: SliceStart(start) });
    let partition = |start, compute, size| FreePartition { start: SliceStart(start), compute, size };
    assert_eq!(
        free_partitions(&board, board.used_slots(&standing)),
        [partition(1, 1, 1), partition(2, 2, 2), partition(4, 1, 1)]
    );
}

#[test]
fn bins_describe_every_board_of_the_catalogue() {
    for board in catalogue().boards() {
        check_bin_view(board).unwrap_or_else(|counterexample| panic!("{counterexample}"));
    }
}

/// Waste of a pattern: one compute slice for every 3g, 7g or 1g of double memory beyond the slot that the last compute
/// slice has in addition.
#[test]
fn waste_of_patterns_in_closed_form() {
    let board = board("A100-40GB");
    let wide = named(&board, &["1g.10gb", "3g.20gb", "7g.40gb"]);
    for (counts, waste) in patterns(&board).waste_of {
        let wide: u32 = wide.iter().map(|profile| counts.get(*profile)).sum();
        let compute: u32 = counts.iter().map(|(profile, count)| count * board.profile(profile).compute).sum();
        let size: u32 = counts.iter().map(|(profile, count)| count * board.profile(profile).size).sum();
        let unreachable = if compute == 7 { 8 - size } else { 0 };
        assert_eq!(waste, wide.saturating_sub(1) + unreachable, "{}", board.counts_name(&counts));
    }
}

/// The recursion of `arrange` against the best of all arrangements, for every state and every fill of the A30, and for
/// a sample of those of the A100.
#[test]
fn arrange_finds_the_best_of_all_arrangements() {
    for (name, step) in [("A30-24GB", 1), ("A100-40GB", 97)] {
        let board = board(name);
        for standing in layouts(&board, &all(&board)).iter().step_by(step) {
            let occupied = board.used_slots(standing);
            let preferred: Vec<GpuInstance> = standing.iter().chain(&elsewhere(&board)).copied().collect();
            for (counts, waste) in fill_table(&board, occupied, &board.full_limits()).waste_of {
                let everything = arrangements(&board, occupied, &counts);
                let waste_of = |list: &[GpuInstance]| list.iter().map(|one| board.waste(*one)).sum::<u32>();
                let moved = |list: &[GpuInstance]| list.iter().filter(|one| !preferred.contains(one)).count();
                let least_waste =
                    everything.iter().min_by_key(|list| (waste_of(list), moved(list), (*list).clone()));
                let keep_first =
                    everything.iter().min_by_key(|list| (moved(list), waste_of(list), (*list).clone()));
                let found = |priority| arrange(&board, occupied, &counts, &preferred, priority);
                assert_eq!(found(ArrangePriority::LeastWaste).as_ref(), least_waste);
                assert_eq!(found(ArrangePriority::KeepFirst).as_ref(), keep_first);
                assert_eq!(least_waste.map(|list| waste_of(list)), Some(waste));
            }
        }
    }
}

/// One instance of every profile at its last start, to have preferences that pull against least waste.
fn elsewhere(board: &Board) -> Vec<GpuInstance> {
    let last = |profile| board.profile(profile).starts.last().copied().expect("every profile has a start");
    board.profile_indices().map(|profile| GpuInstance { profile, start: last(profile) }).collect()
}

#[test]
fn impossible_arrangements_are_refused() {
    let board = board("A100-40GB");
    let profiles = board.profiles().len();
    let [one, four, media] =
        ["1g.5gb", "4g.20gb", "1g.5gb+me"].map(|name| board.find_profile(name).expect("known"));
    let one_at_1 = board.footprint(GpuInstance { profile: one, start: SliceStart(1) });
    let four = Counts::unit(profiles, four);
    assert_eq!(arrange(&board, one_at_1, &four, &[], ArrangePriority::LeastWaste), None);
    assert!(arrangements(&board, one_at_1, &four).is_empty());
    let two_media = Counts::unit(profiles, media).add_one(media);
    assert_eq!(arrange(&board, SlotMask::EMPTY, &two_media, &[], ArrangePriority::KeepFirst), None);
    assert_eq!(best_arrangement(&board, &two_media), None);
}
