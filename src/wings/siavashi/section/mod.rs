//! What the `siavashi` section of an instance file may say.

mod goal;
mod objective;

pub use goal::Goal;
pub use objective::{GOALS, Objective, Weights};

use ground::Amount;
use kit::{Choice, Choices, Parameter, Setting, no_choices, put_choice, whole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `siavashi` section: what may happen to what runs, what a change costs, and how the goals are combined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "SiavashiSection")]
pub struct Settings {
    /// How the goals are combined: `lexicographic` (one goal after the other: acceptance, hardware, migrations),
    /// `lexicographic:GOAL,GOAL,…` for another order or fewer goals, `weighted` (with weights that keep that order), or
    /// `weighted:acceptance=…,hardware=…,migrations=…`.
    pub objective: Objective,
    /// Whether workloads that run may lose their place.
    pub residents: Residents,
    /// Which GPUs of a machine in use count as hardware in use.
    pub active_gpus: ActiveGpus,
    /// What a change of a running workload costs, times its `migration_weight`.
    pub migration_costs: MigrationCosts,
    /// How many running workloads may be moved at most: to another GPU or machine, or off their place. Another start on the same GPU
    /// does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_migrations: Option<u32>,
    /// How many running workloads may be disrupted at most: whoever is not in its slot in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_disrupted: Option<u32>,
}

/// Whether workloads that run may lose their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Residents {
    /// Running workloads may be stopped, as in the paper.
    Evictable,
    /// Running workloads keep a place, though not necessarily the one they have.
    #[default]
    Keep,
}

impl Choices for Residents {
    const ALL: &'static [Choice<Residents>] = &[
        Choice {
            name: "evictable",
            help: "running workloads may be stopped (as in the paper)",
            value: Residents::Evictable,
        },
        Choice {
            name: "keep",
            help: "running workloads keep a place, though not necessarily the one they have",
            value: Residents::Keep,
        },
    ];
}

/// Which GPUs count as hardware in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActiveGpus {
    /// Those that carry a workload: objective (4).
    #[default]
    Used,
    /// All GPUs of a machine that carries a workload: section 2 of the paper.
    WholeMachine,
}

/// What a change of a running workload costs, times its migration weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MigrationCosts {
    /// Moving to another machine.
    pub move_machine: Amount,
    /// Moving to another GPU of the same machine.
    pub move_gpu: Amount,
    /// Moving to another start slot on the same GPU.
    pub move_start: Amount,
    /// Losing its place: it no longer runs.
    pub evict: Amount,
}

impl Default for MigrationCosts {
    /// What objective (5) amounts to.
    fn default() -> Self {
        MigrationCosts {
            move_machine: Amount::whole(4),
            move_gpu: Amount::whole(2),
            move_start: Amount::ZERO,
            evict: Amount::whole(2),
        }
    }
}

impl MigrationCosts {
    /// The costs with their names in files, the most far-reaching change first.
    pub fn named(&self) -> [(&'static str, Amount); 4] {
        [
            ("move_machine", self.move_machine),
            ("move_gpu", self.move_gpu),
            ("move_start", self.move_start),
            ("evict", self.evict),
        ]
    }
}

/// What can be asked otherwise than the section says.
pub const SETTINGS: &[Setting<Settings>] = &[
    Setting {
        parameter: Parameter {
            name: "residents",
            summary: "whether running workloads may be stopped; by default they keep a place",
            choices: Residents::entries,
            get: |settings| Some(settings.residents.name().to_owned()),
            set: |settings, text| put_choice(&mut settings.residents, text),
        },
        repeated: &["residents"],
    },
    Setting {
        parameter: Parameter {
            name: "objective",
            summary: "how to combine the goals acceptance, hardware and migrations: lexicographic, lexicographic:GOAL,GOAL,..., \
                      weighted, or weighted:acceptance=1000,hardware=10,migrations=1",
            choices: no_choices,
            get: |settings| Some(settings.objective.to_string()),
            set: |settings, text| text.parse().map(|objective| settings.objective = objective),
        },
        repeated: &["objective"],
    },
    Setting {
        parameter: Parameter {
            name: "max_migrations",
            summary: "how many running workloads may be moved at most: to another GPU, or off their place",
            choices: no_choices,
            get: |settings| settings.max_migrations.map(|most| most.to_string()),
            set: |settings, text| whole(text, 0..=u32::MAX).map(|most| settings.max_migrations = Some(most)),
        },
        repeated: &["max_migrations"],
    },
    Setting {
        parameter: Parameter {
            name: "max_disrupted",
            summary: "how many running workloads may be disrupted at most: whoever is not in its slot in the end",
            choices: no_choices,
            get: |settings| settings.max_disrupted.map(|most| most.to_string()),
            set: |settings, text| whole(text, 0..=u32::MAX).map(|most| settings.max_disrupted = Some(most)),
        },
        repeated: &["max_disrupted"],
    },
];
