//! Seeded random instances as section 5.1 of the paper describes them.

mod layouts;
mod mix;
mod newcomers;
mod parameters;

pub use mix::Mix;
pub use parameters::GeneratorOptions;

use crate::section::Settings;
use cluster::{GpuSection, OneOrMany, Spot, WorkloadSection};
use ground::capitalised;
use kit::{Draft, Generator, RefusedValues, assign, located, parameter_entries};
use layouts::random_layout;
use mig::{Board, GpuInstance, ProfileIndex};
use newcomers::random_newcomers;
use parameters::{PAPER_BOARD, PARAMETERS};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The model's generator.
pub const GENERATOR: Generator<Settings> = Generator {
    parameters: || parameter_entries(PARAMETERS, &GeneratorOptions::default()),
    with: |values| {
        let mut options = GeneratorOptions::default();
        assign("the generator of wpm", PARAMETERS, &mut options, values)?;
        options.mix.frequencies(&options.board).map_err(|rule| RefusedValues::Value {
            name: "mix".to_owned(),
            value: options.mix.to_string(),
            rule: capitalised(&rule),
        })?;
        Ok(Box::new(move |seed| generate(&GeneratorOptions { seed, ..options.clone() })))
    },
};

/// A random instance on one board type.
///
/// The allocated share of the GPUs, at random positions, gets a target utilisation drawn uniformly from 0 to 1; random
/// profiles are placed at random legal starts while they stay within it (at least one per GPU). Newcomers of random
/// profiles are added until their memory slices fill the newcomer share exactly, or nothing fits any more; no more of
/// a limited profile is asked for than the cluster can hold.
///
/// # Panics
/// When the board does not have a profile of the mix.
pub fn generate(options: &GeneratorOptions) -> Draft<Settings> {
    let board = options.board.as_ref();
    let frequencies = options.mix.frequencies(board).expect("the board has the profiles of the mix");
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let gpus = options.gpus as usize;
    let allocated = (options.allocated_share * gpus as f64).round() as usize;
    let mut layouts: Vec<Vec<GpuInstance>> = (0..gpus)
        .map(|gpu| if gpu < allocated { random_layout(board, &frequencies, &mut random) } else { Vec::new() })
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
    for profile in random_newcomers(options, &frequencies, &layouts, &mut random) {
        workloads.push(workload(board, "new", workloads.len() - running, profile, None, true));
    }
    let gpus = (0..gpus).map(|gpu| GpuSection::new(gpu_name(gpu), board.name().to_owned()));
    Draft {
        name: format!(
            "wpm-{}-{}{}{}-seed{}",
            options.use_case,
            board_part(board),
            options.gpus,
            load_part(options),
            options.seed
        ),
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

/// Bounded demand as part of a name, so that a sweep can have several loads; nothing where it is not bounded.
fn load_part(options: &GeneratorOptions) -> String {
    options.utilisation.map_or(String::new(), |share| format!("-load{share}"))
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
