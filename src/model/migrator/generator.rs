//! The flags of `migopt generate migrator`.

use super::generate::{GeneratorOptions, Source, USUAL_COMPRESSION, USUAL_PSI_SHARE, generate};
use super::gpu::Gpu;
use super::limits::LARGEST_WINDOW;
use super::reading::{Deployment, Readings, Reconfiguration, Signature};
use super::recorded::Recording;
use super::section::usual_board;
use super::series::PARTS_PER_SECOND;
use super::workloads::{NETWORKS, Network, RetrainingData, Workload};
use crate::cluster::Amount;
use crate::model::{InstanceFile, board_named, unknown};
use clap::FromArgMatches;
use itertools::Itertools;
use std::path::PathBuf;

/// Seconds of the paper's window.
const USUAL_WINDOW: Amount = Amount::from_millionths(200_000_000);

/// What the generated instances look like.
#[derive(Debug, clap::Args)]
pub struct GeneratorFlags {
    /// A workload of the paper's Table 4: w1 to w16
    #[arg(long, default_value = "w1", value_parser = workload, conflicts_with = "models")]
    workload: Workload,
    /// Other models together, such as bert,vit or bert+vit: of bert, vit, convnext, inception, resnet50, mobilenet
    #[arg(long, value_parser = networks)]
    models: Option<NetworkList>,
    /// What those of them that read images are retrained with; bert reads text
    #[arg(long, value_enum, default_value_t = RetrainingData::Cifar10, requires = "models")]
    dataset: RetrainingData,
    /// Seconds of the window, a whole number of slots [default: 200, or the next whole number of slots]
    #[arg(long, value_parser = above_zero)]
    window: Option<Amount>,
    /// Seconds of a slot, in halves: 0.5, 1, 3, 5 or 10 in the paper
    #[arg(long, default_value_t = Amount::ONE, value_parser = half_seconds)]
    basis: Amount,
    /// Requests, as a multiple of the usual ones, which peak at 180 to 300 per second and model
    #[arg(long, default_value_t = Amount::ONE, value_parser = multiple)]
    load: Amount,
    /// Retraining data, as a multiple of the usual ones
    #[arg(long, default_value_t = Amount::ONE, value_parser = multiple)]
    volume: Amount,
    /// Share of the reconfiguration times of the paper's Figure 5 (3.5 to 6.2 s) that is charged: what pre-initialisation leaves
    #[arg(long, default_value_t = USUAL_PSI_SHARE, value_parser = at_most_ten)]
    psi_share: Amount,
    /// Board of the GPU
    #[arg(long, default_value_t = usual_board())]
    board: String,
    /// Setting `reconfiguration` of the instances: what a reconfiguration costs
    #[arg(long, value_enum, default_value_t)]
    reconfiguration: Reconfiguration,
    /// Setting `deployment` of the instances: what an inference task needs at least
    #[arg(long, value_enum, default_value_t)]
    deployment: Deployment,
    /// Setting `signature` of the instances: what counts as a reconfiguration
    #[arg(long, value_enum, default_value_t)]
    signature: Signature,
    /// Recorded requests instead of synthetic ones: CSV with a row per request and its time under TIMESTAMP, as in Azure's
    /// traces of inference, or the requests of each second, one number per line. Once for all models, or once for each in order;
    /// the seed decides with which second a model's window begins
    #[arg(long, value_name = "FILE")]
    requests_from: Vec<PathBuf>,
    /// Seconds of the recording in a second of the window [default: 10]
    #[arg(long, value_parser = multiple, requires = "requests_from")]
    compression: Option<Amount>,
    /// What recorded requests are multiplied by [default: what makes the busiest slot as busy as the peak of synthetic requests]
    #[arg(long, value_parser = multiple, requires = "requests_from", conflicts_with = "load")]
    scale: Option<Amount>,
}

/// Models that are named together.
#[derive(Clone, Debug)]
struct NetworkList(Vec<Network>);

/// The generator that the flags ask for, by seed.
///
/// # Errors
/// When a flag has a value that cannot be used, or does not go with another one.
pub fn generator(flags: &clap::ArgMatches) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String> {
    let flags = GeneratorFlags::from_arg_matches(flags).map_err(|error| error.to_string())?;
    let board = board_named(&flags.board)?;
    let gpu = Gpu::new(board)
        .ok_or_else(|| format!("--board: what fits {} cannot be listed. Use another board.", flags.board))?;
    let workload = match flags.models {
        Some(NetworkList(networks)) => Workload::of_networks(networks, flags.dataset),
        None => flags.workload,
    };
    let options = GeneratorOptions {
        workload,
        gpu,
        window: window(flags.window, flags.basis)?,
        basis: flags.basis,
        load: flags.load,
        volume: flags.volume,
        psi_share: flags.psi_share,
        readings: Readings {
            reconfiguration: flags.reconfiguration,
            deployment: flags.deployment,
            signature: flags.signature,
        },
        source: None,
        seed: 0,
    };
    let recordings = flags.requests_from.iter().map(|path| Recording::read(path));
    let recordings: Vec<Recording> = recordings.try_collect().map_err(|error| error.to_string())?;
    let compression = flags.compression.unwrap_or(USUAL_COMPRESSION);
    let source = (!recordings.is_empty()).then_some(Source { recordings, compression, scale: flags.scale });
    let options = GeneratorOptions { source, ..options };
    check_source(&options)?;
    Ok(Box::new(move |seed| generate(&GeneratorOptions { seed, ..options.clone() })))
}

/// The window asked for, or the usual one.
fn window(asked: Option<Amount>, basis: Amount) -> Result<Amount, String> {
    let (slots, rest) = (USUAL_WINDOW.millionths() / basis.millionths(), USUAL_WINDOW.in_units_of(basis));
    let window = asked.unwrap_or(basis * rest.unwrap_or(slots + 1));
    match window.in_units_of(basis) {
        Some(slots) if slots <= LARGEST_WINDOW => Ok(window),
        Some(_) => Err(format!("--window {window}: these are more than {LARGEST_WINDOW} slots. Shorten it.")),
        None => {
            Err(format!("--window {window}: this is not a whole number of slots of {basis} s. Change it."))
        }
    }
}

/// Checks that recordings go with the models and last long enough.
fn check_source(options: &GeneratorOptions) -> Result<(), String> {
    let Some(source) = &options.source else { return Ok(()) };
    let (files, models) = (source.recordings.len(), options.workload.networks.len());
    if files != 1 && files != models {
        return Err(format!(
            "--requests-from: there are {files} files for {models} models. Give one for all, or one for each."
        ));
    }
    let slot = options.recorded_slot(source).ok_or_else(|| {
        let (basis, compression) = (options.basis, source.compression);
        format!("--compression {compression}: times {basis} s that is finer than a microsecond. Round it.")
    })?;
    let check = |recording: &Recording| recording.offsets(slot, options.slots()).map(drop);
    source.recordings.iter().try_for_each(check).map_err(|message| format!("--requests-from: {message}"))
}

fn workload(text: &str) -> Result<Workload, String> {
    let number = text.to_lowercase().strip_prefix('w').and_then(|number| number.parse().ok());
    number.and_then(Workload::of_table_4).ok_or_else(|| "give one of w1 to w16".to_owned())
}

fn networks(text: &str) -> Result<NetworkList, String> {
    let named = |name: &str| {
        let known = NETWORKS.map(|network| network.name);
        let found = NETWORKS.into_iter().find(|network| network.name == name);
        found.ok_or_else(|| unknown(name, "a model to generate", "Known", &known))
    };
    let networks: Vec<Network> = text.split([',', '+']).map(|name| named(name.trim())).try_collect()?;
    match networks.iter().map(|network| network.name).duplicates().next() {
        Some(name) => Err(format!("{name} is named twice")),
        None => Ok(NetworkList(networks)),
    }
}

fn amount(text: &str) -> Result<Amount, String> {
    text.parse::<Amount>().map_err(|error| error.to_string())
}

fn above_zero(text: &str) -> Result<Amount, String> {
    let number = amount(text)?;
    if number > Amount::ZERO { Ok(number) } else { Err("give a number above 0".to_owned()) }
}

fn half_seconds(text: &str) -> Result<Amount, String> {
    let number = above_zero(text)?;
    let parts = (number * i128::from(PARTS_PER_SECOND)).in_units_of(Amount::ONE);
    match parts {
        Some(_) if number <= Amount::whole(3600) => Ok(number),
        _ => Err("give a whole number of half seconds up to 3600".to_owned()),
    }
}

fn multiple(text: &str) -> Result<Amount, String> {
    let number = amount(text)?;
    let range = Amount::from_millionths(10_000)..=Amount::whole(1000);
    if range.contains(&number) { Ok(number) } else { Err("give a number between 0.01 and 1000".to_owned()) }
}

fn at_most_ten(text: &str) -> Result<Amount, String> {
    let number = amount(text)?;
    let range = Amount::ZERO..=Amount::whole(10);
    if range.contains(&number) { Ok(number) } else { Err("give a number between 0 and 10".to_owned()) }
}
