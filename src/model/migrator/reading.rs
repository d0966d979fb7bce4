//! How the paper's ambiguous rules are read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The readings of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Readings {
    /// What a reconfiguration costs.
    #[serde(default)]
    pub reconfiguration: Reconfiguration,
    /// What an inference task needs at least.
    #[serde(default)]
    pub deployment: Deployment,
    /// What counts as a reconfiguration.
    #[serde(default)]
    pub signature: Signature,
}

/// What a reconfiguration costs: readings of row (10), where psi is the reconfiguration time in slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Reconfiguration {
    /// In the slot of the reconfiguration the task keeps 1 - min(1, psi) of its capability.
    #[default]
    Clip,
    /// psi slots of outage from the reconfiguration on, however many slots that takes.
    Carry,
    /// In the slot of the reconfiguration the task keeps max(0, 1 - psi / number of its instances).
    Frac,
    /// In the slot of the reconfiguration the task keeps 1 - psi of its capability, as printed: less than nothing if psi > 1.
    Charge,
}

/// What an inference task needs at least: readings of row (5b).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Deployment {
    /// An instance of the minimum size, as the paper's text has it; smaller instances serve nothing.
    #[default]
    Instance,
    /// As many GPCs as the minimum size has, on whichever instances, as the formula has it.
    Gpcs,
}

/// What counts as a reconfiguration: readings of row (11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Signature {
    /// Another number of instances or of GPCs, as printed; a change of the mix that keeps both is free.
    #[default]
    Count,
    /// Another multiset of instances.
    Multiset,
}

impl Reconfiguration {
    /// Its name in files, flags and answers.
    pub fn name(self) -> &'static str {
        match self {
            Reconfiguration::Clip => "clip",
            Reconfiguration::Carry => "carry",
            Reconfiguration::Frac => "frac",
            Reconfiguration::Charge => "charge",
        }
    }
}

impl Deployment {
    /// Its name in files, flags and answers.
    pub fn name(self) -> &'static str {
        match self {
            Deployment::Instance => "instance",
            Deployment::Gpcs => "gpcs",
        }
    }
}

impl Signature {
    /// Its name in files, flags and answers.
    pub fn name(self) -> &'static str {
        match self {
            Signature::Count => "count",
            Signature::Multiset => "multiset",
        }
    }
}

impl std::fmt::Display for Readings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Readings { reconfiguration, deployment, signature } = self;
        write!(formatter, "{}, {}, {}", reconfiguration.name(), deployment.name(), signature.name())
    }
}
