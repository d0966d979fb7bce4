//! What the `wpm` section of an instance file may say.

use ground::Amount;
use kit::{Choice, Choices, Goals, Parameter, SenseName, Setting, no_choices, put_choice, whole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `wpm` section: which question is asked, and what counts how much.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "WpmSection")]
pub struct Settings {
    /// Which workloads and GPUs take part.
    pub use_case: UseCase,
    /// How the goals are combined: `weighted` (rewards less all costs), `lexicographic` (one goal after the other: reward, gpus,
    /// migrations, waste), or `lexicographic:GOAL,GOAL,…` for another order or fewer goals.
    pub objective: Objective,
    /// Whether every workload must get a place. Where that is impossible, the answer is "infeasible", with the reason.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub place_all: bool,
    /// How many running workloads may be moved at most: to another GPU, or off their place; with `shifts: counted` also to another
    /// start of their GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_migrations: Option<u32>,
    /// How many running workloads may be disrupted at most: whoever is not in its slot in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_disrupted: Option<u32>,
    /// Whether a running workload that gets another start on its own GPU counts as moved.
    #[serde(skip_serializing_if = "Shifts::are_free")]
    pub shifts: Shifts,
    /// Whether CPU cores and main memory of the hosts restrict what they carry.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub host_resources: bool,
    /// Rewards and costs. Those left out are computed from the instance, so that placing a workload outweighs saving GPUs, GPUs
    /// outweigh migrations, and migrations outweigh waste; answers show them all.
    #[serde(skip_serializing_if = "CostSettings::is_empty")]
    pub costs: CostSettings,
}

/// Which workloads and GPUs take part: the paper's use cases (section 2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UseCase {
    /// Place newcomers; everything that runs stays where it is.
    Initial,
    /// Move what runs so that GPUs become free; free GPUs are not used, newcomers not considered.
    Compaction,
    /// Lay out what runs again, on free GPUs first, then on repartitioned ones; newcomers not considered.
    Reconfiguration,
    /// Place newcomers and move what runs, together.
    #[default]
    Joint,
}

impl Choices for UseCase {
    const ALL: &'static [Choice<Self>] = &[
        Choice {
            name: "initial",
            help: "place newcomers; everything that runs stays where it is",
            value: UseCase::Initial,
        },
        Choice {
            name: "compaction",
            help: "move what runs so that GPUs become free; free GPUs are not used, newcomers not considered",
            value: UseCase::Compaction,
        },
        Choice {
            name: "reconfiguration",
            help: "lay out what runs again, on free GPUs first, then on repartitioned ones; newcomers not considered",
            value: UseCase::Reconfiguration,
        },
        Choice { name: "joint", help: "place newcomers and move what runs, together", value: UseCase::Joint },
    ];
}

/// Whether running workloads that get another start on their own GPU count as moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shifts {
    /// Not on a GPU that is repartitioned: Assumption 2 of the paper.
    #[default]
    Free,
    /// They do: a shift restarts the workload.
    Counted,
}

impl Shifts {
    /// Whether only moves to another GPU count where a GPU is repartitioned.
    pub fn are_free(&self) -> bool {
        *self == Shifts::Free
    }
}

impl Choices for Shifts {
    const ALL: &'static [Choice<Self>] = &[
        Choice {
            name: "free",
            help: "a repartition moves instances inside its GPU for free",
            value: Shifts::Free,
        },
        Choice {
            name: "counted",
            help: "another start on the same GPU is a migration",
            value: Shifts::Counted,
        },
    ];
}

impl std::fmt::Display for UseCase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}

/// What can be asked otherwise than the instance says.
pub const SETTINGS: &[Setting<Settings>] = &[
    Setting {
        parameter: Parameter {
            name: "use_case",
            summary: "which workloads and GPUs take part",
            choices: UseCase::entries,
            get: |settings| Some(settings.use_case.to_string()),
            set: |settings, text| put_choice(&mut settings.use_case, text),
        },
        repeated: &["use_case"],
    },
    Setting {
        parameter: Parameter {
            name: "objective",
            summary: "how to combine the goals reward, gpus, migrations, waste: weighted, lexicographic, or \
                      lexicographic:GOAL,GOAL,...",
            choices: no_choices,
            get: |settings| Some(settings.objective.to_string()),
            set: |settings, text| text.parse().map(|objective| settings.objective = objective),
        },
        repeated: &["objective"],
    },
    Setting {
        parameter: Parameter {
            name: "max_migrations",
            summary: "how many running workloads may be moved at most",
            choices: no_choices,
            get: |settings| settings.max_migrations.map(|most| most.to_string()),
            set: |settings, text| whole(text, 0..=u32::MAX).map(|most| settings.max_migrations = Some(most)),
        },
        repeated: &["max_migrations"],
    },
    Setting {
        parameter: Parameter {
            name: "max_disrupted",
            summary: "how many running workloads may be moved, shifted or without a place in the end at most",
            choices: no_choices,
            get: |settings| settings.max_disrupted.map(|most| most.to_string()),
            set: |settings, text| whole(text, 0..=u32::MAX).map(|most| settings.max_disrupted = Some(most)),
        },
        repeated: &["max_disrupted"],
    },
    Setting {
        parameter: Parameter {
            name: "shifts",
            summary: "whether another start on the same GPU counts as a migration",
            choices: Shifts::entries,
            get: |settings| Some(settings.shifts.name().to_owned()),
            set: |settings, text| put_choice(&mut settings.shifts, text),
        },
        repeated: &["shifts"],
    },
];

/// A goal of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// Rewards of the placed workloads (maximised).
    Reward,
    /// Cost of the GPUs in use (minimised).
    Gpus,
    /// Cost of migrations and repartitions (minimised).
    Migrations,
    /// Cost of wasted slices (minimised).
    Waste,
}

impl Goal {
    /// All goals in the default order of importance.
    pub const ALL: [Goal; 4] = [Goal::Reward, Goal::Gpus, Goal::Migrations, Goal::Waste];

    /// The goal's name in files, flags and answers.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Reward => "reward",
            Goal::Gpus => "gpus",
            Goal::Migrations => "migrations",
            Goal::Waste => "waste",
        }
    }

    /// Whether more or less of it is better.
    pub fn sense(self) -> SenseName {
        match self {
            Goal::Reward => SenseName::Maximize,
            Goal::Gpus | Goal::Migrations | Goal::Waste => SenseName::Minimize,
        }
    }
}

/// The goals for reading and writing objectives.
pub const GOALS: Goals<Goal> =
    Goals { all: &Goal::ALL, name: Goal::name, other_objectives: &[("weighted", "weighted")] };

/// How the goals are combined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Objective {
    /// The paper's profit (2a): rewards less all costs.
    #[default]
    Weighted,
    /// One goal after the other, each at its optimum given those before.
    Lexicographic(Vec<Goal>),
}

impl std::str::FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "weighted" {
            return Ok(Objective::Weighted);
        }
        GOALS.parse(text).map(Objective::Lexicographic)
    }
}

impl TryFrom<String> for Objective {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Objective> for String {
    fn from(objective: Objective) -> String {
        objective.to_string()
    }
}

impl std::fmt::Display for Objective {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Objective::Weighted => formatter.write_str("weighted"),
            Objective::Lexicographic(goals) => formatter.write_str(&GOALS.text(goals)),
        }
    }
}

impl JsonSchema for Objective {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WpmObjective".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        GOALS.schema()
    }
}

/// Rewards and costs, all per unit and not negative.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CostSettings {
    /// Reward of placing a workload, per memory slice of its profile; a workload's own `reward` goes before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_per_slice: Option<Amount>,
    /// Cost q of a GPU in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Amount>,
    /// Cost gamma^R of repartitioning a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repartition: Option<Amount>,
    /// Cost of migrating a workload, per memory slice; a workload's own `migration_cost` goes before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub migration_per_slice: Option<Amount>,
    /// Cost gamma^W of a wasted slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waste: Option<Amount>,
    /// Costs that differ by board.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub boards: BTreeMap<String, BoardCosts>,
}

impl CostSettings {
    fn is_empty(&self) -> bool {
        *self == CostSettings::default()
    }
}

/// Costs of one board type, in place of the general ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BoardCosts {
    /// Cost q of a GPU in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Amount>,
    /// Cost gamma^R of repartitioning a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repartition: Option<Amount>,
    /// Cost gamma^W of a wasted slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waste: Option<Amount>,
}
