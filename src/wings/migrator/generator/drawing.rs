//! Seeded random windows as in section 5.1 of the paper.

use super::naming::{description, family, name};
use super::options::GeneratorOptions;
use super::series::{PARTS_PER_SECOND, synthetic};
use super::workloads::{Network, Workload, thousandths};
use crate::section::{Accuracy, ModelSection, Readings, Section};
use ground::{Amount, Located};
use kit::{Draft, located};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// The largest rates of Figure 3, in requests per second: that of a model is drawn between them.
const PEAKS: (f64, f64) = (180.0, 300.0);
/// Volumes of retraining data differ from the usual one by at most this share.
const VOLUME_SPREAD: f64 = 0.2;

/// A random window.
///
/// Each model has a stream of random numbers of its own, by its position: it is the same whatever runs beside it. From it
/// come, in this order, the peak, the volume of retraining data, the accuracies, whether a network that reads text gets such
/// long ones that it needs two GPCs (in every other window, which is an assumption), and the requests.
pub fn generate(options: &GeneratorOptions) -> Draft<Section> {
    let model = |(position, network): (usize, &Network)| drawn_model(options, position, network);
    let (models, requests): (Vec<ModelSection>, Vec<String>) =
        options.workload.networks.iter().enumerate().map(model).unzip();
    let Readings { reconfiguration, deployment, signature } = options.readings;
    Draft {
        name: name(options),
        description: Some(description(options, &requests)),
        family: Some(family(options)),
        section: Some(Section {
            board: options.gpu.board.name().to_owned(),
            window_seconds: options.window,
            basis_seconds: options.basis,
            reconfiguration,
            deployment,
            signature,
            models: models.into_iter().map(located).collect::<Vec<Located<ModelSection>>>(),
        }),
        ..Draft::default()
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
