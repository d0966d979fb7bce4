//! What can be chosen about generated windows.

use super::drawing::generate;
use super::options::{GeneratorOptions, Source, USUAL_COMPRESSION};
use super::recorded::Recording;
use super::series::PARTS_PER_SECOND;
use super::workloads::{NETWORKS, Network, RetrainingData, Workload};
use crate::instance::Gpu;
use crate::section::{Deployment, LARGEST_WINDOW, Reconfiguration, Section, Signature};
use ground::Amount;
use itertools::Itertools;
use kit::{
    Choice, Choices, Generate, Generator, Parameter, RefusedValues, assign, board_of_catalogue, no_choices,
    parameter_entries, put_choice, unknown,
};
use std::path::PathBuf;

/// The generator of random windows.
pub const GENERATOR: Generator<Section> =
    Generator { parameters: || parameter_entries(PARAMETERS, &Asked::default()), with };

/// What is asked for, before it is checked whether it goes together.
#[derive(Default)]
struct Asked {
    /// What depends on nothing else.
    options: GeneratorOptions,
    workload: Option<Workload>,
    models: Option<Vec<Network>>,
    dataset: Option<Images>,
    window: Option<Amount>,
    load: Option<Amount>,
    requests_from: Vec<PathBuf>,
    compression: Option<Amount>,
    scale: Option<Amount>,
}

/// What networks that read images are retrained with.
#[derive(Clone, Copy, PartialEq)]
struct Images(RetrainingData);

impl Choices for Images {
    const ALL: &'static [Choice<Self>] = &[
        Choice {
            name: "cifar-10",
            help: "two new classes of ten in each window, 5,000 images each",
            value: Images(RetrainingData::Cifar10),
        },
        Choice {
            name: "core50",
            help: "five new classes of fifty in each window, 2,400 images each",
            value: Images(RetrainingData::Core50),
        },
    ];
}

impl Asked {
    fn images(&self) -> Images {
        self.dataset.unwrap_or(Images(RetrainingData::Cifar10))
    }
}

/// The parameter that may be given several times.
const REQUESTS_FROM: &str = "requests-from";

const PARAMETERS: &[Parameter<Asked>] = &[
    Parameter {
        name: "workload",
        summary: "a workload of the paper's Table 4: w1 to w16",
        choices: no_choices,
        get: |asked| Some(asked.workload.as_ref().unwrap_or(&asked.options.workload).name.clone()),
        set: |asked, text| workload(text).map(|workload| asked.workload = Some(workload)),
    },
    Parameter {
        name: "models",
        summary: "other models together, such as bert,vit or bert+vit: of bert, vit, convnext, inception, resnet50, mobilenet",
        choices: no_choices,
        get: |asked| Some(asked.models.as_ref()?.iter().map(|network| network.name).join("+")),
        set: |asked, text| networks(text).map(|networks| asked.models = Some(networks)),
    },
    Parameter {
        name: "dataset",
        summary: "retraining data of the models that read images; bert reads text",
        choices: Images::entries,
        get: |asked| Some(asked.images().name().to_owned()),
        set: |asked, text| Images::named(text).map(|images| asked.dataset = Some(images)),
    },
    Parameter {
        name: "window",
        summary: "seconds of the window, a whole number of slots; by default 200, or the next whole number of slots",
        choices: no_choices,
        get: |asked| asked.window.map(|window| window.to_string()),
        set: |asked, text| above_zero(text).map(|window| asked.window = Some(window)),
    },
    Parameter {
        name: "basis",
        summary: "seconds of a slot, in halves: 0.5, 1, 3, 5 or 10 in the paper",
        choices: no_choices,
        get: |asked| Some(asked.options.basis.to_string()),
        set: |asked, text| half_seconds(text).map(|basis| asked.options.basis = basis),
    },
    Parameter {
        name: "load",
        summary: "requests, as a multiple of the usual ones, which peak at 180 to 300 per second and model",
        choices: no_choices,
        get: |asked| Some(asked.load.unwrap_or(asked.options.load).to_string()),
        set: |asked, text| multiple(text).map(|load| asked.load = Some(load)),
    },
    Parameter {
        name: "volume",
        summary: "retraining data, as a multiple of the usual ones",
        choices: no_choices,
        get: |asked| Some(asked.options.volume.to_string()),
        set: |asked, text| multiple(text).map(|volume| asked.options.volume = volume),
    },
    Parameter {
        name: "psi-share",
        summary: "share of the reconfiguration times of the paper's Figure 5 (3.5 to 6.2 s) that is charged: what pre-initialisation \
                  leaves",
        choices: no_choices,
        get: |asked| Some(asked.options.psi_share.to_string()),
        set: |asked, text| at_most_ten(text).map(|share| asked.options.psi_share = share),
    },
    Parameter {
        name: "board",
        summary: "board of the GPU",
        choices: no_choices,
        get: |asked| Some(asked.options.gpu.board.name().to_owned()),
        set: |asked, text| gpu(text).map(|gpu| asked.options.gpu = gpu),
    },
    Parameter {
        name: "reconfiguration",
        summary: "setting `reconfiguration` of the instances: what a reconfiguration costs",
        choices: Reconfiguration::entries,
        get: |asked| Some(asked.options.readings.reconfiguration.name().to_owned()),
        set: |asked, text| put_choice(&mut asked.options.readings.reconfiguration, text),
    },
    Parameter {
        name: "deployment",
        summary: "setting `deployment` of the instances: what an inference task needs at least",
        choices: Deployment::entries,
        get: |asked| Some(asked.options.readings.deployment.name().to_owned()),
        set: |asked, text| put_choice(&mut asked.options.readings.deployment, text),
    },
    Parameter {
        name: "signature",
        summary: "setting `signature` of the instances: what counts as a reconfiguration",
        choices: Signature::entries,
        get: |asked| Some(asked.options.readings.signature.name().to_owned()),
        set: |asked, text| put_choice(&mut asked.options.readings.signature, text),
    },
    Parameter {
        name: REQUESTS_FROM,
        summary: "file with recorded requests instead of synthetic ones: CSV with a row per request and its time under TIMESTAMP, as in \
                  Azure's traces of inference, or the requests of each second, one number per line. Once for all models, or once for \
                  each in order; the seed decides at which second a model's window begins",
        choices: no_choices,
        get: |_| None,
        set: |asked, text| {
            asked.requests_from.push(PathBuf::from(text));
            Ok(())
        },
    },
    Parameter {
        name: "compression",
        summary: "seconds of the recording in a second of the window",
        choices: no_choices,
        get: |asked| Some(asked.compression.unwrap_or(USUAL_COMPRESSION).to_string()),
        set: |asked, text| multiple(text).map(|compression| asked.compression = Some(compression)),
    },
    Parameter {
        name: "scale",
        summary: "factor on recorded requests; by default the one that makes the busiest slot as busy as the peak \
                  of synthetic requests",
        choices: no_choices,
        get: |asked| asked.scale.map(|scale| scale.to_string()),
        set: |asked, text| multiple(text).map(|scale| asked.scale = Some(scale)),
    },
];

fn with(values: &[(&str, &str)]) -> Result<Generate<Section>, RefusedValues> {
    const OWNER: &str = "the generator of migrator";
    let mut asked = Asked::default();
    let (recordings, others): (Vec<_>, Vec<_>) = values.iter().partition(|(name, _)| *name == REQUESTS_FROM);
    assign(OWNER, PARAMETERS, &mut asked, &others)?;
    for recording in recordings {
        assign(OWNER, PARAMETERS, &mut asked, &[recording])?;
    }
    let options = asked.options()?;
    Ok(Box::new(move |seed| generate(&GeneratorOptions { seed, ..options.clone() })))
}

impl Asked {
    /// Checks that everything goes together.
    ///
    /// # Errors
    /// When it does not, or a recording cannot be read.
    fn options(self) -> Result<GeneratorOptions, String> {
        self.check_company()?;
        let images = self.images().0;
        let models = self.models.map(|networks| Workload::of_networks(networks, images));
        let usual = self.options;
        let window = window(self.window, usual.window, usual.basis)?;
        let recordings = self.requests_from.iter().map(|path| Recording::read(path));
        let recordings: Vec<Recording> = recordings.try_collect().map_err(|error| error.to_string())?;
        let compression = self.compression.unwrap_or(USUAL_COMPRESSION);
        let options = GeneratorOptions {
            workload: models.or(self.workload).unwrap_or(usual.workload),
            window,
            load: self.load.unwrap_or(usual.load),
            source: (!recordings.is_empty()).then_some(Source { recordings, compression, scale: self.scale }),
            ..usual
        };
        check_source(&options)?;
        Ok(options)
    }

    /// Checks that nothing is asked for that has no meaning beside the rest.
    fn check_company(&self) -> Result<(), String> {
        let is_recorded = !self.requests_from.is_empty();
        let wrong = [
            (
                self.models.is_some() && self.workload.is_some(),
                "--models cannot be used with --workload, which stands for models too. Leave one of them out.",
            ),
            (
                self.dataset.is_some() && self.models.is_none(),
                "--dataset needs --models; a workload has its own. Give models, or leave --dataset out.",
            ),
            (
                self.compression.is_some() && !is_recorded,
                "--compression needs --requests-from, whose requests it compresses. Name a recording, or leave --compression out.",
            ),
            (
                self.scale.is_some() && !is_recorded,
                "--scale needs --requests-from, whose requests it multiplies. Name a recording, or use --load.",
            ),
            (
                self.scale.is_some() && self.load.is_some(),
                "--scale cannot be used with --load, which multiplies the peaks that it replaces. Leave one of them out.",
            ),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, message)) => Err(message.to_owned()),
            None => Ok(()),
        }
    }
}

/// The window asked for, or the usual one and what is missing of its last slot.
fn window(asked: Option<Amount>, usual: Amount, basis: Amount) -> Result<Amount, String> {
    let (slots, rest) = (usual.millionths() / basis.millionths(), usual.in_units_of(basis));
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

fn networks(text: &str) -> Result<Vec<Network>, String> {
    let named = |name: &str| {
        let known = NETWORKS.map(|network| network.name);
        let found = NETWORKS.into_iter().find(|network| network.name == name);
        found.ok_or_else(|| unknown(name, "a model to generate", "Known", &known))
    };
    let networks: Vec<Network> = text.split([',', '+']).map(|name| named(name.trim())).try_collect()?;
    match networks.iter().map(|network| network.name).duplicates().next() {
        Some(name) => Err(format!("name {name} once")),
        None => Ok(networks),
    }
}

fn gpu(board: &str) -> Result<Gpu, String> {
    let unlisted = || format!("what fits {board} cannot be listed. Use another board");
    Gpu::new(board_of_catalogue(board)?).ok_or_else(unlisted)
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
