//! What can be chosen about generated instances.

use super::mix::Mix;
use crate::section::UseCase;
use kit::{Choices, Parameter, board_of_catalogue, no_choices, number, put_choice, share, whole};
use mig::Board;
use std::sync::Arc;

/// The board of the paper's experiments.
pub const PAPER_BOARD: &str = "A100-80GB";

/// What the generated instances look like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// Number of GPUs.
    pub gpus: u32,
    /// Board type.
    pub board: Arc<Board>,
    /// Profiles that are drawn, and how often.
    pub mix: Mix,
    /// Seed; the same options and seed give the same instance.
    pub seed: u64,
    /// Use case of the instance.
    pub use_case: UseCase,
    /// Share of the GPUs that carry workloads (the paper: about 0.6).
    pub allocated_share: f64,
    /// Memory slices asked for by newcomers, as a share of all slices of the cluster (the paper: 0.6).
    pub newcomer_share: f64,
    /// Most memory slices that running workloads and newcomers ask for together, as a share of all slices; none where that is not
    /// bounded (the paper does not say).
    pub utilisation: Option<f64>,
    /// Whether there is a place for every newcomer beside what runs and the other newcomers (the paper does not say).
    pub newcomers_fit: bool,
    /// Probability that a running workload is pinned (the paper: 0).
    pub pinned_share: f64,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        GeneratorOptions {
            gpus: 8,
            board: board_of_catalogue(PAPER_BOARD).expect("the paper's board is in the catalogue"),
            mix: Mix::default(),
            seed: 1,
            use_case: UseCase::Joint,
            allocated_share: 0.6,
            newcomer_share: 0.6,
            utilisation: None,
            newcomers_fit: false,
            pinned_share: 0.0,
        }
    }
}

/// What stands for demand that is not bounded.
const UNBOUNDED: &str = "unbounded";

/// The parameters.
pub const PARAMETERS: &[Parameter<GeneratorOptions>] = &[
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
        name: "mix",
        summary: "profiles that are drawn, with how often if not alike, as 1g.10gb=0.3,2g.20gb=0.7 (`/` may stand for the comma); or all",
        choices: no_choices,
        get: |options| Some(options.mix.to_string()),
        set: |options, text| {
            options.mix = text.parse()?;
            Ok(())
        },
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
        name: "utilisation",
        summary: "most memory slices that running workloads and newcomers ask for together, as a share of all slices; or unbounded",
        choices: no_choices,
        get: |options| Some(options.utilisation.map_or(UNBOUNDED.to_owned(), |share| share.to_string())),
        set: |options, text| {
            options.utilisation = match text {
                UNBOUNDED => None,
                text => Some(number(text, 0.0..=100.0).map_err(|rule| format!("{rule}, or `{UNBOUNDED}`"))?),
            };
            Ok(())
        },
    },
    Parameter {
        name: "newcomers-fit",
        summary: "whether there is a place for every newcomer beside what runs and the other newcomers",
        choices: bool::entries,
        get: |options| Some(options.newcomers_fit.name().to_owned()),
        set: |options, text| put_choice(&mut options.newcomers_fit, text),
    },
    Parameter {
        name: "pinned",
        summary: "probability that a running workload is pinned",
        choices: no_choices,
        get: |options| Some(options.pinned_share.to_string()),
        set: |options, text| share(text).map(|share| options.pinned_share = share),
    },
];
