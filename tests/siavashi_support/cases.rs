//! Random instances before they are written down.

use super::Objective;
use super::writing::{BOARDS, COSTS};
use proptest::prelude::*;
use proptest::sample::select;

const OBJECTIVES: [Objective; 14] = [
    Objective::Order(&[0, 1, 2]),
    Objective::Order(&[0, 2, 1]),
    Objective::Order(&[1, 0, 2]),
    Objective::Order(&[2, 0, 1]),
    Objective::Order(&[2, 1]),
    Objective::Order(&[0, 1]),
    Objective::Order(&[0]),
    Objective::Order(&[1]),
    Objective::Weighted(None),
    Objective::Weighted(Some(["1", "1", "1"])),
    Objective::Weighted(Some(["3", "0.5", "0.25"])),
    Objective::Weighted(Some(["2", "1", "0"])),
    Objective::Weighted(Some(["0.5", "0", "1.5"])),
    Objective::Weighted(Some(["1000", "20", "0.1"])),
];

/// What a random workload wants and where it would like to be.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Number of the profile among those of the board that it would like to be on.
    pub profile: usize,
    /// Another profile that serves it as well, by board and number.
    pub other_profile: Option<(usize, usize)>,
    /// GPU and number of the start among the profile's starts; taken back where that is not legal.
    pub place: Option<(usize, usize)>,
    pub pinned: bool,
    /// In half cores and half GiB.
    pub resources: [u32; 2],
    pub acceptance: Option<&'static str>,
    pub migration: Option<&'static str>,
    /// Whether it is the like of the workload before, but for its place.
    pub like_previous: bool,
}

/// A random machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// A board for each GPU.
    pub boards: Vec<usize>,
    /// Whether it is a host; otherwise its GPUs are machines of their own.
    pub is_host: bool,
    /// Half cores and half GiB.
    pub capacities: [Option<u32>; 2],
    pub weight: Option<&'static str>,
}

/// A random instance before it is written down.
#[derive(Clone, Debug)]
pub struct Case {
    pub machines: Vec<Machine>,
    pub wishes: Vec<Wish>,
    /// Workloads run on so many GPUs at most, the first ones.
    pub spread: usize,
    pub objective: Objective,
    pub keep: bool,
    pub whole_machine: bool,
    pub costs: usize,
    /// For whatever else is to be drawn.
    pub seed: u64,
}

/// Random cases. Excluded: more than three machines or four GPUs, more than seven workloads, more than two profile names for
/// a workload.
pub fn cases() -> impl Strategy<Value = Case> {
    let wish = (
        0..64usize,
        proptest::option::weighted(0.15, (0..BOARDS.len(), 0..64usize)),
        proptest::option::weighted(0.5, (0..4usize, 0..7usize)),
        prop::bool::weighted(0.15),
        [0..5u32, 0..5u32],
        select(vec![None, None, None, Some("2"), Some("3"), Some("0.5"), Some("0")]),
        select(vec![None, None, None, Some("2"), Some("0.3"), Some("0")]),
        prop::bool::weighted(0.35),
    )
        .prop_map(
            |(profile, other_profile, place, pinned, resources, acceptance, migration, like_previous)| Wish {
                profile,
                other_profile,
                place,
                pinned,
                resources,
                acceptance,
                migration,
                like_previous,
            },
        );
    let rare = |common: usize, rare: std::ops::Range<usize>| prop_oneof![2 => Just(common), 1 => rare];
    (
        machines(),
        proptest::collection::vec(wish, 2..=7),
        select(vec![1, 2, 4, 4]),
        prop_oneof![1 => Just(OBJECTIVES[0]), 2 => select(OBJECTIVES.to_vec())],
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.25),
        rare(0, 1..COSTS.len()),
        any::<u64>(),
    )
        .prop_map(|(machines, wishes, spread, objective, keep, whole_machine, costs, seed)| Case {
            machines,
            wishes,
            spread,
            objective,
            keep,
            whole_machine,
            costs,
            seed,
        })
}

/// Up to three machines with up to four GPUs, often alike.
fn machines() -> impl Strategy<Value = Vec<Machine>> {
    const SIZES: [&[usize]; 11] =
        [&[1], &[2], &[3], &[1, 1], &[1, 1], &[2, 1], &[2, 2], &[1, 1, 1], &[1, 1, 1], &[1, 1, 2], &[3, 1]];
    let board =
        || prop_oneof![4 => Just(0), 2 => Just(1), 1 => Just(2), 2 => Just(3), 4 => Just(4), 3 => Just(5)];
    let capacity = || proptest::option::weighted(0.5, 3..16u32);
    let machine = (
        (board(), proptest::collection::vec(proptest::option::weighted(0.3, board()), 3)),
        prop::bool::weighted(0.8),
        [capacity(), capacity()],
        select(vec![None, None, None, Some("2"), Some("0.5"), Some("0")]),
    );
    (select(SIZES.to_vec()), prop::bool::weighted(0.7), proptest::collection::vec(machine, 3)).prop_map(
        |(sizes, alike, drawn)| {
            let machine = |(number, &size): (usize, &usize)| {
                let ((board, others), is_host, capacities, weight) = &drawn[if alike { 0 } else { number }];
                let boards = (0..size).map(|gpu| others[gpu].filter(|_| gpu > 0).unwrap_or(*board)).collect();
                Machine { boards, is_host: *is_host, capacities: *capacities, weight: *weight }
            };
            sizes.iter().enumerate().map(machine).collect()
        },
    )
}
