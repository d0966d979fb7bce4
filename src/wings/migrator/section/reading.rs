//! How the paper's ambiguous rules are read.

use kit::{Choice, Choices};
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deployment {
    /// An instance of the minimum size, as the paper's text has it; smaller instances serve nothing.
    #[default]
    Instance,
    /// As many GPCs as the minimum size has, on whichever instances, as the formula has it.
    Gpcs,
}

/// What counts as a reconfiguration: readings of row (11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Signature {
    /// Another number of instances or of GPCs, as printed; a change of the mix that keeps both is free.
    #[default]
    Count,
    /// Another multiset of instances.
    Multiset,
}

impl Choices for Reconfiguration {
    const ALL: &'static [Choice<Self>] = &[
        Choice {
            name: "clip",
            help: "in the slot of the reconfiguration the task keeps 1 - min(1, psi) of its capability",
            value: Reconfiguration::Clip,
        },
        Choice {
            name: "carry",
            help: "psi slots of outage from the reconfiguration on, however many slots that takes",
            value: Reconfiguration::Carry,
        },
        Choice {
            name: "frac",
            help: "in the slot of the reconfiguration the task keeps max(0, 1 - psi / number of its instances)",
            value: Reconfiguration::Frac,
        },
        Choice {
            name: "charge",
            help: "in the slot of the reconfiguration the task keeps 1 - psi of its capability, as printed: less than nothing if psi > 1",
            value: Reconfiguration::Charge,
        },
    ];
}

impl Choices for Deployment {
    const ALL: &'static [Choice<Self>] = &[
        Choice {
            name: "instance",
            help: "an instance of the minimum size, as the paper's text has it; smaller instances serve nothing",
            value: Deployment::Instance,
        },
        Choice {
            name: "gpcs",
            help: "as many GPCs as the minimum size has, on whichever instances, as the formula has it",
            value: Deployment::Gpcs,
        },
    ];
}

impl Choices for Signature {
    const ALL: &'static [Choice<Self>] = &[
        Choice {
            name: "count",
            help: "another number of instances or of GPCs, as printed; a change of the mix that keeps both is free",
            value: Signature::Count,
        },
        Choice { name: "multiset", help: "another multiset of instances", value: Signature::Multiset },
    ];
}

impl std::fmt::Display for Readings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Readings { reconfiguration, deployment, signature } = self;
        write!(formatter, "{}, {}, {}", reconfiguration.name(), deployment.name(), signature.name())
    }
}
