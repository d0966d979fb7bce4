//! Seeded random instances as section 5.1 of the paper describes them.

use crate::section::{Settings, UseCase};
use cluster::{GpuSection, OneOrMany, Spot, WorkloadSection};
use kit::{
    Choices, Draft, Generator, Parameter, assign, board_of_catalogue, located, no_choices, number,
    parameter_entries, put_choice, share, whole,
};
use mig::{Board, GpuInstance, ProfileIndex, Remaining, SlotMask};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// The board of the paper's experiments.
const PAPER_BOARD: &str = "A100-80GB";

/// What the generated instances look like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// Number of GPUs.
    pub gpus: u32,
    /// Board type.
    pub board: Arc<Board>,
    /// Seed; the same options and seed give the same instance.
    pub seed: u64,
    /// Use case of the instance.
    pub use_case: UseCase,
    /// Share of the GPUs that carry workloads (the paper: about 0.6).
    pub allocated_share: f64,
    /// Memory slices asked for by newcomers, as a share of all slices of the cluster (the paper: 0.6).
    pub newcomer_share: f64,
    /// Probability that a running workload is pinned (the paper: 0).
    pub pinned_share: f64,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        GeneratorOptions {
            gpus: 8,
            board: board_of_catalogue(PAPER_BOARD).expect("the paper's board is in the catalogue"),
            seed: 1,
            use_case: UseCase::Joint,
            allocated_share: 0.6,
            newcomer_share: 0.6,
            pinned_share: 0.0,
        }
    }
}

/// What can be chosen about the instances.
const PARAMETERS: &[Parameter<GeneratorOptions>] = &[
    Parameter {
        name: "gpus",
        summary: "number of GPUs",
        choices: no_choices,
        get: |options| Some(options.gpus.to_string()),
        set: |options, text| whole(text, 1..=1_000_000).map(|gpus| options.gpus = gpus),
    },
    Parameter {
        name: "board",
        summary: "board type",
        choices: no_choices,
        get: |options| Some(options.board.name().to_owned()),
        set: |options, text| board_of_catalogue(text).map(|board| options.board = board),
    },
    Parameter {
        name: "use-case",
        summary: "use case of the instances",
        choices: UseCase::entries,
        get: |options| Some(options.use_case.to_string()),
        set: |options, text| put_choice(&mut options.use_case, text),
    },
    Parameter {
        name: "allocated",
        summary: "share of the GPUs that carry workloads",
        choices: no_choices,
        get: |options| Some(options.allocated_share.to_string()),
        set: |options, text| share(text).map(|share| options.allocated_share = share),
    },
    Parameter {
        name: "newcomers",
        summary: "memory slices that newcomers ask for, as a share of all slices",
        choices: no_choices,
        get: |options| Some(options.newcomer_share.to_string()),
        set: |options, text| number(text, 0.0..=100.0).map(|share| options.newcomer_share = share),
    },
    Parameter {
        name: "pinned",
        summary: "probability that a running workload is pinned",
        choices: no_choices,
        get: |options| Some(options.pinned_share.to_string()),
        set: |options, text| share(text).map(|share| options.pinned_share = share),
    },
];

/// The model's generator.
pub const GENERATOR: Generator<Settings> = Generator {
    parameters: || parameter_entries(PARAMETERS, &GeneratorOptions::default()),
    with: |values| {
        let mut options = GeneratorOptions::default();
        assign("the generator of wpm", PARAMETERS, &mut options, values)?;
        Ok(Box::new(move |seed| generate(&GeneratorOptions { seed, ..options.clone() })))
    },
};

/// A random instance on one board type.
///
/// The allocated share of the GPUs, at random positions, gets a target utilisation drawn uniformly from 0 to 1; random
/// profiles are placed at random legal starts while they stay within it (at least one per GPU). Newcomers of random
/// profiles are added until their memory slices fill the newcomer share exactly, or nothing fits any more; no more of
/// a limited profile is asked for than the cluster can hold.
pub fn generate(options: &GeneratorOptions) -> Draft<Settings> {
    let board = options.board.as_ref();
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let gpus = options.gpus as usize;
    let allocated = (options.allocated_share * gpus as f64).round() as usize;
    let mut layouts: Vec<Vec<GpuInstance>> = (0..gpus)
        .map(|gpu| if gpu < allocated { random_layout(board, &mut random) } else { Vec::new() })
        .collect();
    layouts.shuffle(&mut random);
    let width = gpus.saturating_sub(1).to_string().len();
    let gpu_name = |gpu: usize| format!("gpu-{gpu:0width$}");
    let mut workloads = Vec::new();
    for (gpu, layout) in layouts.iter().enumerate() {
        for instance in layout {
            let current = Spot { gpu: gpu_name(gpu), start: instance.start.0 };
            let movable = options.pinned_share == 0.0 || !random.random_bool(options.pinned_share);
            workloads.push(workload(board, "run", workloads.len(), instance.profile, Some(current), movable));
        }
    }
    let running = workloads.len();
    for profile in random_newcomers(board, options, &layouts, &mut random) {
        workloads.push(workload(board, "new", workloads.len() - running, profile, None, true));
    }
    let gpus = (0..gpus).map(|gpu| GpuSection::new(gpu_name(gpu), board.name().to_owned()));
    Draft {
        name: format!("wpm-{}-{}{}-seed{}", options.use_case, board_part(board), options.gpus, options.seed),
        description: Some(format!(
            "Generated as in section 5.1 of Turkkan et al.: {} x {}, {} running workloads, {} newcomers.",
            options.gpus,
            board.name(),
            running,
            workloads.len() - running
        )),
        gpus: gpus.map(located).collect(),
        workloads: workloads.into_iter().map(located).collect(),
        section: Some(Settings { use_case: options.use_case, ..Settings::default() }),
        ..Draft::default()
    }
}

/// The board as part of a name; nothing for the paper's.
fn board_part(board: &Board) -> String {
    if board.name() == PAPER_BOARD {
        return String::new();
    }
    let letters = board.name().to_lowercase();
    let words: Vec<&str> = letters
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join("-") + "-"
}

fn workload(
    board: &Board,
    prefix: &str,
    number: usize,
    profile: ProfileIndex,
    current: Option<Spot>,
    movable: bool,
) -> WorkloadSection {
    WorkloadSection {
        current: current.map(OneOrMany::One),
        movable,
        ..WorkloadSection::new(format!("{prefix}-{number}"), board.profile(profile).name.clone())
    }
}

fn random_layout(board: &Board, random: &mut ChaCha8Rng) -> Vec<GpuInstance> {
    let target = random.random::<f64>() * f64::from(board.slots());
    let mut layout: Vec<GpuInstance> = Vec::new();
    let mut occupied = SlotMask::EMPTY;
    let mut remaining = board.full_limits();
    let mut used = 0;
    loop {
        let within = |profile: ProfileIndex| {
            let size = f64::from(used + board.profile(profile).size);
            // The first instance may exceed a target below the smallest profile.
            size <= target || (layout.is_empty() && board.profile(profile).size == smallest(board))
        };
        let free = |profile: ProfileIndex| free_instances(board, profile, occupied, &remaining);
        let fitting: Vec<ProfileIndex> =
            board.profile_indices().filter(|&profile| within(profile) && !free(profile).is_empty()).collect();
        let Some(&profile) = fitting.choose(random) else { return layout };
        let instance = *free(profile).choose(random).expect("fitting profiles have a free start");
        occupied = occupied.union(board.footprint(instance));
        remaining = remaining.take(board, profile).expect("fitting profiles are within the limits");
        used += board.profile(profile).size;
        layout.push(instance);
    }
}

fn smallest(board: &Board) -> u32 {
    board.profiles().iter().map(|profile| profile.size).min().unwrap_or_default()
}

fn free_instances(
    board: &Board,
    profile: ProfileIndex,
    occupied: SlotMask,
    remaining: &Remaining,
) -> Vec<GpuInstance> {
    if remaining.take(board, profile).is_none() {
        return Vec::new();
    }
    let starts = board.profile(profile).starts.iter();
    starts
        .map(|&start| GpuInstance { profile, start })
        .filter(|&instance| !board.footprint(instance).intersects(occupied))
        .collect()
}

fn random_newcomers(
    board: &Board,
    options: &GeneratorOptions,
    layouts: &[Vec<GpuInstance>],
    random: &mut ChaCha8Rng,
) -> Vec<ProfileIndex> {
    let capacity = f64::from(options.gpus) * f64::from(board.slots());
    let mut left = (options.newcomer_share * capacity + 1e-9).floor() as u32;
    let mut room: Vec<u32> = board
        .limits()
        .iter()
        .map(|limit| {
            let used: u32 = layouts.iter().flatten().map(|instance| limit.usage_of(instance.profile)).sum();
            (limit.capacity * options.gpus).saturating_sub(used)
        })
        .collect();
    let mut newcomers = Vec::new();
    loop {
        let limited = |profile: ProfileIndex| {
            board.limits().iter().zip(&room).any(|(limit, &room)| limit.usage_of(profile) > room)
        };
        let fitting: Vec<ProfileIndex> = board
            .profile_indices()
            .filter(|&profile| board.profile(profile).size <= left && !limited(profile))
            .collect();
        let Some(&profile) = fitting.choose(random) else { return newcomers };
        left -= board.profile(profile).size;
        for (limit, room) in board.limits().iter().zip(&mut room) {
            *room -= limit.usage_of(profile);
        }
        newcomers.push(profile);
    }
}
