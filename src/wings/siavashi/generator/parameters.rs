//! What can be chosen about generated intervals.

use super::generate;
use crate::section::{Residents, Settings};
use kit::{
    Choice, Choices, Generator, Parameter, assign, board_of_catalogue, no_choices, number, parameter_entries,
    put_choice, share, whole,
};
use mig::Board;
use std::sync::Arc;

/// How often each profile is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// Mostly small profiles.
    Light,
    /// Like the Alibaba trace mapped to profiles, mostly large: half the workloads ask for whole GPUs.
    Trace,
    /// All profiles alike.
    Uniform,
    /// Mostly large profiles.
    Heavy,
}

impl Choices for Mix {
    const ALL: &'static [Choice<Mix>] = &[
        Choice { name: "light", help: "mostly small profiles", value: Mix::Light },
        Choice {
            name: "trace",
            help: "like the Alibaba trace mapped to profiles, mostly large: half the workloads ask for whole GPUs",
            value: Mix::Trace,
        },
        Choice { name: "uniform", help: "all profiles alike", value: Mix::Uniform },
        Choice { name: "heavy", help: "mostly large profiles", value: Mix::Heavy },
    ];
}

/// What the generated intervals look like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// Board type of all GPUs.
    pub board: Arc<Board>,
    /// Workloads, running and new.
    pub workloads: u32,
    /// Memory slices asked for over those of the cluster: above 1 not everything fits.
    pub load: f64,
    /// How often each profile is asked for.
    pub mix: Mix,
    /// GPUs of each machine.
    pub gpus_per_machine: u32,
    /// Share of the workloads that run, as far as three quarters of the cluster hold them.
    pub residents: f64,
    /// Workloads that ran in the past for each that runs now: the more, the more fragmented.
    pub churn: f64,
    /// Whether workloads that run may lose their place.
    pub setting: Residents,
    /// Seed; the same options and seed give the same interval.
    pub seed: u64,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        GeneratorOptions {
            board: board_of_catalogue("A100-40GB").expect("the catalogue has the board of the paper"),
            workloads: 50,
            load: 1.2,
            mix: Mix::Light,
            gpus_per_machine: 4,
            residents: 0.7,
            churn: 1.5,
            setting: Residents::Keep,
            seed: 0,
        }
    }
}

/// The parameters, in the order of lists.
const PARAMETERS: &[Parameter<GeneratorOptions>] = &[
    Parameter {
        name: "workloads",
        summary: "number of workloads, running and new",
        choices: no_choices,
        get: |options| Some(options.workloads.to_string()),
        set: |options, text| whole(text, 1..=1_000_000).map(|number| options.workloads = number),
    },
    Parameter {
        name: "load",
        summary: "memory slices asked for, as a share of those of the cluster; the number of machines follows from it",
        choices: no_choices,
        get: |options| Some(options.load.to_string()),
        set: |options, text| number(text, 0.01..=100.0).map(|load| options.load = load),
    },
    Parameter {
        name: "mix",
        summary: "how often each profile is asked for",
        choices: Mix::entries,
        get: |options| Some(options.mix.name().to_owned()),
        set: |options, text| put_choice(&mut options.mix, text),
    },
    Parameter {
        name: "board",
        summary: "board type",
        choices: no_choices,
        get: |options| Some(options.board.name().to_owned()),
        set: |options, text| board_of_catalogue(text).map(|board| options.board = board),
    },
    Parameter {
        name: "gpus-per-machine",
        summary: "GPUs of each machine",
        choices: no_choices,
        get: |options| Some(options.gpus_per_machine.to_string()),
        set: |options, text| whole(text, 1..=64).map(|number| options.gpus_per_machine = number),
    },
    Parameter {
        name: "residents",
        summary: "share of the workloads that run",
        choices: no_choices,
        get: |options| Some(options.residents.to_string()),
        set: |options, text| share(text).map(|share| options.residents = share),
    },
    Parameter {
        name: "churn",
        summary: "workloads that ran in the past for each that runs now",
        choices: no_choices,
        get: |options| Some(options.churn.to_string()),
        set: |options, text| number(text, 1.0..=100.0).map(|churn| options.churn = churn),
    },
    Parameter {
        name: "setting",
        summary: "setting `residents` of the instances: whether running workloads may be stopped",
        choices: Residents::entries,
        get: |options| Some(options.setting.name().to_owned()),
        set: |options, text| put_choice(&mut options.setting, text),
    },
];

/// The generator by its parameters.
pub const GENERATOR: Generator<Settings> = Generator {
    parameters: || parameter_entries(PARAMETERS, &GeneratorOptions::default()),
    with: |values| {
        let mut options = GeneratorOptions::default();
        assign("the generator of siavashi", PARAMETERS, &mut options, values)?;
        Ok(Box::new(move |seed| generate(&GeneratorOptions { seed, ..options.clone() })))
    },
};
