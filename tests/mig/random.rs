//! Random small geometries: the recursions against plain enumeration.
//!
//! The boards have up to 7 slots and 4 profiles with arbitrary starts, maxima and decoders. Profiles of more than 4
//! slots occur only as the profile that spans the board, which every board has.

use std::collections::BTreeMap;

use mig::*;
use proptest::prelude::*;

fn profile(slots: u32, compute: u32) -> impl Strategy<Value = ProfileGeometry> {
    (1..=slots.min(4)).prop_flat_map(move |size| {
        let places = slots - size + 1;
        let starts = 1u32..(1 << places);
        (1..=compute, starts, proptest::option::of(1u32..4), 0u32..3).prop_map(
            move |(compute, starts, maximum, decode)| ProfileGeometry {
                name: String::new(),
                compute,
                size,
                starts: (0..places as u8).filter(|start| starts >> start & 1 == 1).collect(),
                maximum,
                aliases: Vec::new(),
                engines: Some(Engines { decode, ..Engines::default() }),
            },
        )
    })
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let board = (1u32..=7).prop_flat_map(|slots| (Just(slots), 1..=slots));
    board.prop_flat_map(|(slots, compute)| {
        let profiles = proptest::collection::vec(profile(slots, compute), 0..4);
        (profiles, 0u32..5).prop_map(move |(mut profiles, decode)| {
            profiles.push(ProfileGeometry {
                name: String::new(),
                compute,
                size: slots,
                starts: vec![0],
                maximum: None,
                aliases: Vec::new(),
                engines: Some(Engines { decode, ..Engines::default() }),
            });
            for (index, profile) in profiles.iter_mut().enumerate() {
                profile.name = format!("p{index}");
            }
            Geometry { slots, compute, profiles }
        })
    })
}

/// All sets of legal instances without overlap, whatever the limits.
fn every_layout(board: &Board) -> Vec<Vec<GpuInstance>> {
    let mut found = vec![Vec::new()];
    for profile in board.profile_indices() {
        for start in &board.profile(profile).starts {
            let instance = GpuInstance { profile, start: *start };
            let fits =
                |layout: &&Vec<GpuInstance>| !board.used_slots(layout).intersects(board.footprint(instance));
            let longer: Vec<Vec<GpuInstance>> = found
                .iter()
                .filter(fits)
                .map(|layout| layout.iter().copied().chain([instance]).collect())
                .collect();
            found.extend(longer);
        }
    }
    found.sort();
    found
}

/// The rules as the geometry states them: at most `maximum` of every profile, and no more compute slices and decoders than the board
/// has.
fn allowed(geometry: &Geometry, counts: &Counts) -> bool {
    let decoders = |profile: &ProfileGeometry| profile.engines.map_or(0, |engines| engines.decode);
    let spanning = geometry.profiles.iter().filter(|profile| profile.size == geometry.slots).map(decoders);
    let sum_of = |number: &dyn Fn(&ProfileGeometry) -> u32| -> u32 {
        geometry.profiles.iter().zip(counts.as_slice()).map(|(p, count)| number(p) * count).sum()
    };
    let mut numbers = geometry.profiles.iter().zip(counts.as_slice());
    sum_of(&decoders) <= spanning.max().unwrap_or(0)
        && sum_of(&|profile| profile.compute) <= geometry.compute
        && numbers.all(|(p, count)| p.maximum.is_none_or(|most| *count <= most))
}

/// Waste by its definition, slot by slot.
fn waste(board: &Board, instance: GpuInstance) -> u32 {
    let per = board.slots() / board.compute();
    let slice_of = |slot: u32| (slot / per).min(board.compute() - 1);
    let footprint = board.footprint(instance);
    let touched = (0..board.compute()).filter(|slice| footprint.iter().any(|slot| slice_of(slot) == *slice));
    let compute = (touched.count() as u32).saturating_sub(board.profile(instance.profile).compute);
    let covers = |instance: GpuInstance, slot: u32| board.footprint(instance).iter().any(|used| used == slot);
    let first_extra = per * board.compute();
    if !covers(instance, first_extra - 1) {
        return compute;
    }
    let starts_of = |profile| board.profile(profile).starts.iter();
    let instances: Vec<GpuInstance> = board
        .profile_indices()
        .flat_map(|profile| starts_of(profile).map(move |&start| GpuInstance { profile, start }))
        .collect();
    let can_be_used = |slot: u32| {
        let beside = |other: &GpuInstance| !footprint.iter().any(|used| covers(*other, used));
        covers(instance, slot) || instances.iter().any(|other| beside(other) && covers(*other, slot))
    };
    compute + (first_extra..board.slots()).filter(|slot| !can_be_used(*slot)).count() as u32
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn enumeration_agrees(geometry in geometry(), occupied in 0u64..128) {
        let board = Board::from_geometry("random", &geometry).expect("the strategy makes valid boards");
        let profiles: Vec<ProfileIndex> = board.profile_indices().collect();
        let counts_of = |layout: &[GpuInstance]| Counts::from_instances(profiles.len(), layout);
        let mut expected = every_layout(&board);
        expected.retain(|layout| allowed(&geometry, &counts_of(layout)));
        prop_assert_eq!(layouts(&board, &profiles), expected.clone());

        let occupied = SlotMask(occupied).intersection(board.all_slots());
        let mut waste_of: BTreeMap<Counts, u32> = BTreeMap::new();
        let mut arranged: BTreeMap<Counts, Vec<Vec<GpuInstance>>> = BTreeMap::new();
        for layout in expected.iter().filter(|layout| !board.used_slots(layout).intersects(occupied)) {
            let total = layout.iter().map(|instance| waste(&board, *instance)).sum();
            let least = waste_of.entry(counts_of(layout)).or_insert(total);
            *least = total.min(*least);
            arranged.entry(counts_of(layout)).or_default().push(layout.clone());
        }
        prop_assert_eq!(fill_table(&board, occupied, &board.full_limits()).waste_of, waste_of);
        for (counts, layouts) in arranged {
            prop_assert_eq!(arrangements(&board, occupied, &counts), layouts);
        }
    }

    #[test]
    fn no_limit_is_redundant(geometry in geometry()) {
        let board = Board::from_geometry("random", &geometry).expect("the strategy makes valid boards");
        let multisets: Vec<Counts> =
            every_layout(&board).iter().map(|layout| Counts::from_instances(board.profiles().len(), layout)).collect();
        for limit in board.limits() {
            let others = |counts: &Counts| {
                board.limits().iter().filter(|other| *other != limit).all(|other| other.used_by(counts) <= other.capacity)
            };
            prop_assert!(multisets.iter().any(|counts| limit.used_by(counts) > limit.capacity && others(counts)));
        }
    }

    #[test]
    fn free_partitions_are_disjoint_and_leave_nothing(geometry in geometry(), occupied in 0u64..128) {
        let board = Board::from_geometry("random", &geometry).expect("the strategy makes valid boards");
        let occupied = SlotMask(occupied).intersection(board.all_slots());
        let mut free = board.free_slots(occupied);
        for partition in free_partitions(&board, occupied) {
            let slots = SlotMask::interval(partition.start, partition.size);
            prop_assert!(free.contains(slots));
            free = free.without(slots);
        }
        prop_assert!(board.profile_indices().all(|profile| free_starts(&board, free, profile) == 0));
    }

    #[test]
    fn the_check_of_bins_is_what_it_says(geometry in geometry()) {
        let board = Board::from_geometry("random", &geometry).expect("the strategy makes valid boards");
        let profiles: Vec<ProfileIndex> = board.profile_indices().collect();
        let exact_in_every_state = layouts(&board, &profiles).iter().all(|layout| {
            let occupied = board.used_slots(layout);
            let remaining = board.full_limits();
            partition_fill_table(&board, occupied, &remaining) == fill_table(&board, occupied, &remaining)
        });
        match check_bin_view(&board) {
            Ok(()) => prop_assert!(exact_in_every_state),
            Err(BinViewCounterexample::Undecided { .. }) => prop_assert!(false, "the boards are small"),
            Err(BinViewCounterexample::Mismatch { occupied, added, waste_in_bins, waste_in_slots, bins, .. }) => {
                prop_assert_ne!(waste_in_bins, waste_in_slots);
                let used = board.used_slots(&occupied);
                let least = arrangements(&board, used, &added).iter()
                    .map(|layout| layout.iter().map(|instance| waste(&board, *instance)).sum()).min();
                prop_assert_eq!(least, waste_in_slots);
                prop_assert!(!exact_in_every_state || (occupied.is_empty() && bins.len() == 1));
            }
        }
    }
}
