//! The flags of `migopt generate wpm`.

use super::generate::{GeneratorOptions, generate};
use super::settings::UseCase;
use crate::model::{InstanceFile, board_named, positive_number, share};
use clap::FromArgMatches;

/// What the generated instances look like.
#[derive(Debug, clap::Args)]
pub struct GeneratorFlags {
    /// Number of GPUs
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    gpus: u32,
    /// Board type
    #[arg(long, default_value = "A100-80GB")]
    board: String,
    /// Use case of the instances
    #[arg(long, value_enum, default_value_t = UseCase::Joint)]
    use_case: UseCase,
    /// Share of the GPUs that carry workloads
    #[arg(long, default_value_t = 0.6, value_parser = share)]
    allocated: f64,
    /// Memory slices that newcomers ask for, as a share of all slices
    #[arg(long, default_value_t = 0.6, value_parser = demand)]
    newcomers: f64,
    /// Probability that a running workload is pinned
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    pinned: f64,
}

/// The generator that the flags ask for, by seed.
///
/// # Errors
/// When the board is not known or cannot be used.
pub fn generator(flags: &clap::ArgMatches) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String> {
    let flags = GeneratorFlags::from_arg_matches(flags).map_err(|error| error.to_string())?;
    let board = board_named(&flags.board)?;
    Ok(Box::new(move |seed| {
        let options = GeneratorOptions {
            gpus: flags.gpus,
            seed,
            use_case: flags.use_case,
            allocated_share: flags.allocated,
            newcomer_share: flags.newcomers,
            pinned_share: flags.pinned,
        };
        generate(&board, &options)
    }))
}

fn demand(text: &str) -> Result<f64, String> {
    let number = positive_number(text)?;
    if number <= 100.0 { Ok(number) } else { Err("give at most 100 times the cluster's slices".to_owned()) }
}
