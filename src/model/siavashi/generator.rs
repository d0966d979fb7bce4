//! The flags of `migopt generate siavashi`.

use super::generate::{GeneratorOptions, Mix, generate};
use super::settings::Residents;
use crate::model::{InstanceFile, board_named, positive_number, share};
use clap::FromArgMatches;

/// What the generated intervals look like.
#[derive(Debug, clap::Args)]
pub struct GeneratorFlags {
    /// Number of workloads, running and new
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    workloads: u32,
    /// Memory slices asked for, as a share of those of the cluster; the number of machines follows from it
    #[arg(long, default_value_t = 1.2, value_parser = load)]
    load: f64,
    /// How often each profile is asked for
    #[arg(long, value_enum, default_value_t = Mix::Light)]
    mix: Mix,
    /// Board type
    #[arg(long, default_value = "A100-40GB")]
    board: String,
    /// GPUs of each machine
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    gpus_per_machine: u32,
    /// Share of the workloads that run
    #[arg(long, default_value_t = 0.7, value_parser = share)]
    residents: f64,
    /// Workloads that ran in the past for each that runs now
    #[arg(long, default_value_t = 1.5, value_parser = churn)]
    churn: f64,
    /// Setting `residents` of the instances: whether workloads that run may lose their place
    #[arg(long, value_enum, default_value_t = Residents::Evictable)]
    setting: Residents,
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
            workloads: flags.workloads,
            load: flags.load,
            mix: flags.mix,
            gpus_per_machine: flags.gpus_per_machine,
            residents: flags.residents,
            churn: flags.churn,
            setting: flags.setting,
            seed,
        };
        generate(&board, &options)
    }))
}

fn load(text: &str) -> Result<f64, String> {
    let number = positive_number(text)?;
    if (0.01..=100.0).contains(&number) {
        Ok(number)
    } else {
        Err("give a number between 0.01 and 100".to_owned())
    }
}

fn churn(text: &str) -> Result<f64, String> {
    let number = positive_number(text)?;
    if (1.0..=100.0).contains(&number) {
        Ok(number)
    } else {
        Err("give a number between 1 and 100".to_owned())
    }
}
