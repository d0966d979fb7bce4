//! Seeded random windows as in section 5.1 of the paper.

use super::gpu::Gpu;
use super::reading::Readings;
use super::recorded::Recording;
use super::section::{Accuracy, ModelSection, Section};
use super::series::{PARTS_PER_SECOND, synthetic};
use super::workloads::{Network, Workload, thousandths};
use crate::cluster::{Amount, Located};
use crate::model::{InstanceFile, located};
use itertools::Itertools;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// The largest rates of Figure 3, in requests per second: that of a model is drawn between them.
const PEAKS: (f64, f64) = (180.0, 300.0);
/// Volumes of retraining data differ from the usual one by at most this share.
const VOLUME_SPREAD: f64 = 0.2;

/// The part of a reconfiguration that the paper's pre-initialisation leaves: it hides 83 %.
pub const USUAL_PSI_SHARE: Amount = Amount::from_millionths(170_000);
/// Seconds of a recording in a second of the window; an hour becomes six minutes.
pub const USUAL_COMPRESSION: Amount = Amount::from_millionths(10_000_000);

/// What the generated windows look like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// What runs.
    pub workload: Workload,
    /// On which GPU.
    pub gpu: Gpu,
    /// Seconds of the window: a whole number of slots.
    pub window: Amount,
    /// Seconds of a slot: a whole number of half seconds.
    pub basis: Amount,
    /// Requests, as a multiple of the usual ones.
    pub load: Amount,
    /// Retraining data, as a multiple of the usual ones.
    pub volume: Amount,
    /// The part of a reconfiguration that pre-initialisation leaves.
    pub psi_share: Amount,
    /// How the paper's ambiguous rules are read.
    pub readings: Readings,
    /// Where requests come from that are not synthetic.
    pub source: Option<Source>,
    /// Seed; the same options and seed give the same instance.
    pub seed: u64,
}

/// Recorded requests.
#[derive(Clone, Debug)]
pub struct Source {
    /// One recording for all models, or one for each.
    pub recordings: Vec<Recording>,
    /// Seconds of the recording in a second of the window.
    pub compression: Amount,
    /// What the requests are multiplied by; without it as much as makes the busiest slot as busy as the peak that is drawn.
    pub scale: Option<Amount>,
}

impl GeneratorOptions {
    /// Slots of the window.
    pub fn slots(&self) -> u32 {
        self.window.in_units_of(self.basis).and_then(|slots| u32::try_from(slots).ok()).unwrap_or(0)
    }

    /// Seconds of a recording in a slot; `None` if that is not a whole number of microseconds.
    pub fn recorded_slot(&self, source: &Source) -> Option<Amount> {
        self.basis.product(source.compression)
    }
}

impl Source {
    /// The recording of the model at a position.
    pub fn recording(&self, position: usize) -> &Recording {
        &self.recordings[if self.recordings.len() == 1 { 0 } else { position }]
    }
}

/// A random window.
///
/// Each model has a stream of random numbers of its own, by its position: it is the same whatever runs beside it. From it
/// come, in this order, the peak, the volume of retraining data, the accuracies, whether a network that reads text gets such
/// long ones that it needs two GPCs (in every other window, which is an assumption), and the requests.
pub fn generate(options: &GeneratorOptions) -> InstanceFile {
    let model = |(position, network): (usize, &Network)| drawn_model(options, position, network);
    let (models, requests): (Vec<ModelSection>, Vec<String>) =
        options.workload.networks.iter().enumerate().map(model).unzip();
    let Readings { reconfiguration, deployment, signature } = options.readings;
    InstanceFile {
        name: name(options),
        description: Some(description(options, &requests)),
        family: Some(family(options)),
        migrator: Some(Section {
            board: options.gpu.board.name().to_owned(),
            window_seconds: options.window,
            basis_seconds: options.basis,
            reconfiguration,
            deployment,
            signature,
            models: models.into_iter().map(located).collect::<Vec<Located<ModelSection>>>(),
        }),
        ..InstanceFile::default()
    }
}

/// A model, and what its requests are.
fn drawn_model(options: &GeneratorOptions, position: usize, network: &Network) -> (ModelSection, String) {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    random.set_stream(position as u64);
    let data = options.workload.data_of(network);
    let mut between = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
    let peak = between(PEAKS.0, PEAKS.1) * options.load.to_f64();
    let samples =
        data.samples() * options.volume.to_f64() * between(1.0 - VOLUME_SPREAD, 1.0 + VOLUME_SPREAD);
    let mut ten_thousandths = |(low, high): (u32, u32)| random.random_range(low..=high);
    let before = ten_thousandths(data.accuracies());
    let after = before + ten_thousandths(data.gains());
    let accuracy = |of: u32| Amount::from_millionths(i128::from(of) * 100);
    let needs_two = random.random::<bool>() && network.reads_text;
    let (requests, about) = drawn_requests(options, position, peak, &mut random);
    let sizes = &options.gpu.sizes;
    let minimum = sizes.iter().find(|size| size.gpcs >= 2).filter(|_| needs_two);
    let by_size = |value: &dyn Fn(u32) -> Amount| {
        sizes.iter().map(|size| (size.name.clone(), value(size.gpcs))).collect::<BTreeMap<_, _>>()
    };
    let section = ModelSection {
        name: network.name.to_owned(),
        minimum_instance: minimum.map(|size| size.name.clone()),
        capability: by_size(&|gpcs| network.capability(gpcs)),
        accuracy: Accuracy { before: accuracy(before), after: accuracy(after) },
        retraining_seconds: by_size(&|gpcs| network.retraining_seconds(samples, gpcs)),
        reconfiguration_seconds: thousandths(network.reconfiguration_seconds * options.psi_share.to_f64()),
        gflops: Some(thousandths(network.gflops)),
        requests: Some(requests.into_iter().map(|number| Amount::whole(i128::from(number))).collect()),
        requests_from: None,
        first_allocation: None,
    };
    (section, format!("{} with {} and {about}", network.name, data.title()))
}

/// The requests of each slot, and in words where they come from.
fn drawn_requests(
    options: &GeneratorOptions,
    position: usize,
    peak: f64,
    random: &mut ChaCha8Rng,
) -> (Vec<u64>, String) {
    let slots = options.slots();
    let recorded = options.source.as_ref().and_then(|source| Some((source, options.recorded_slot(source)?)));
    let Some((source, slot)) = recorded else {
        let shape = Workload::shape(position);
        let parts = options.basis * i128::from(PARTS_PER_SECOND);
        let parts = parts.in_units_of(Amount::ONE).and_then(|parts| u32::try_from(parts).ok()).unwrap_or(1);
        let series = synthetic(shape, peak, slots * parts, random);
        let of_slot = |parts: &[u64]| parts.iter().sum();
        let requests = series.chunks(parts as usize).map(of_slot).collect();
        return (requests, format!("{} requests", shape.name()));
    };
    let recording = source.recording(position);
    let offset = random.random_range(0..recording.offsets(slot, slots).unwrap_or(1));
    let counts = recording.cut(offset, slot, slots);
    let most = counts.iter().copied().max().unwrap_or_default().to_f64();
    let factor = match source.scale {
        Some(scale) => scale.to_f64(),
        None if most > 0.0 => peak * options.basis.to_f64() / most,
        None => 0.0,
    };
    let requests = counts.into_iter().map(|count| (count.to_f64() * factor).round() as u64).collect();
    (requests, format!("{} from second {offset} on", recording.name))
}

/// Everything that was asked for, so that different instances have different names.
fn name(options: &GeneratorOptions) -> String {
    let mut parts =
        vec!["migrator".to_owned(), options.workload.name.clone(), format!("{}s", options.window)];
    parts.extend((options.basis != Amount::ONE).then(|| format!("basis{}", options.basis)));
    parts.extend(others(options, |setting, value| format!("{}{value}", setting.replace(' ', "-"))));
    parts.push(format!("seed{}", options.seed));
    parts.iter().map(|part| fit_for_a_file(part)).join("-")
}

/// What instances have in common that differ by chance, which is the seed, alone.
fn family(options: &GeneratorOptions) -> String {
    let GeneratorOptions { workload, window, basis, .. } = options;
    let mut parts = vec![format!("migrator {}", workload.name), format!("{window} s, basis {basis} s")];
    parts.extend(others(options, |setting, value| format!("{setting} {value}").trim().to_owned()));
    parts.join(", ")
}

/// The settings beside workload, window and basis that are not the usual ones.
fn others(options: &GeneratorOptions, words: impl Fn(&str, &str) -> String) -> Vec<String> {
    let GeneratorOptions { load, volume, psi_share, readings, .. } = options;
    let usual = Readings::default();
    let mut found = Vec::new();
    let mut add = |is_other: bool, setting: &str, value: String| {
        found.extend(is_other.then(|| words(setting, &value)));
    };
    let board = options.gpu.board.name();
    add(board != super::section::usual_board(), "", board.to_owned());
    add(*load != Amount::ONE, "load", load.to_string());
    add(*volume != Amount::ONE, "volume", volume.to_string());
    add(*psi_share != USUAL_PSI_SHARE, "psi", psi_share.to_string());
    add(readings.reconfiguration != usual.reconfiguration, "", readings.reconfiguration.name().to_owned());
    add(readings.deployment != usual.deployment, "", readings.deployment.name().to_owned());
    add(readings.signature != usual.signature, "", readings.signature.name().to_owned());
    if let Some(Source { recordings, compression, scale }) = &options.source {
        add(true, "", recordings.iter().map(|recording| &recording.name).join("-"));
        add(*compression != USUAL_COMPRESSION, "compression", compression.to_string());
        add(scale.is_some(), "scale", scale.unwrap_or_default().to_string());
    }
    found
}

/// A name without what folders and shells read as something else.
fn fit_for_a_file(part: &str) -> String {
    let fitting = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    part.chars().map(|character| if fitting(character) { character } else { '-' }).collect()
}

fn description(options: &GeneratorOptions, models: &[String]) -> String {
    let GeneratorOptions { workload, window, basis, .. } = options;
    let speed = match &options.source {
        Some(source) => format!(", recordings {} times as fast", source.compression),
        None => String::new(),
    };
    format!(
        "Generated: workload {} as in section 5.1 of Wang et al. ({}); {window} s in slots of {basis} s{speed}.",
        workload.name,
        models.join(", ")
    )
}
