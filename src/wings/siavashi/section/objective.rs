//! How the three goals are combined.

use super::goal::Goal;
use ground::Amount;
use itertools::Itertools;
use kit::Goals;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the goals are combined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Objective {
    /// One goal after the other, each at its optimum given those before.
    Lexicographic(Vec<Goal>),
    /// The weighted sum of acceptance, less hardware, less migrations; without weights those that give the lexicographic
    /// optimum.
    Weighted(Option<Weights>),
}

/// What one of each goal is worth in the weighted sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights([Amount; 3]);

impl Weights {
    /// These weights in the order of [`Goal::ALL`].
    pub fn new(weights: [Amount; 3]) -> Self {
        Weights(weights)
    }

    /// The weight of a goal.
    pub fn of(&self, goal: Goal) -> Amount {
        self.0[goal as usize]
    }
}

/// How objectives name the goals.
pub const GOALS: Goals<Goal> = Goals {
    all: &Goal::ALL,
    name: Goal::name,
    other_objectives: &[
        ("weighted", "weighted"),
        (
            "weighted:acceptance=1000,hardware=10,migrations=1",
            "weighted:(acceptance|hardware|migrations)=[0-9.]+(,(acceptance|hardware|migrations)=[0-9.]+)*",
        ),
    ],
};

impl Default for Objective {
    fn default() -> Self {
        Objective::Lexicographic(Goal::ALL.to_vec())
    }
}

impl std::str::FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "weighted" => Ok(Objective::Weighted(None)),
            Some(("weighted", weights)) => {
                self::weights(weights).map(|given| Objective::Weighted(Some(given)))
            }
            _ => GOALS.parse(text).map(Objective::Lexicographic),
        }
    }
}

fn weights(text: &str) -> Result<Weights, String> {
    let mut given: [Option<Amount>; 3] = [None; 3];
    for part in text.split(',') {
        let (name, number) = part
            .split_once('=')
            .ok_or_else(|| format!("\"{part}\" is not GOAL=WEIGHT. {}", GOALS.advice()))?;
        let goal = GOALS.named(name.trim())?;
        let weight: Amount = number.trim().parse().map_err(|error| {
            format!("the weight of {} is \"{}\", but {error}.", goal.name(), number.trim())
        })?;
        if weight.is_negative() {
            return Err(format!(
                "the weight of {} is {weight} but must not be negative: the sense of each goal is fixed. Use 0 or more.",
                goal.name()
            ));
        }
        if given[goal as usize].replace(weight).is_some() {
            return Err(format!("the goal \"{}\" is weighted twice. {}", goal.name(), GOALS.advice()));
        }
    }
    Ok(Weights(given.map(Option::unwrap_or_default)))
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
            Objective::Lexicographic(goals) => formatter.write_str(&GOALS.text(goals)),
            Objective::Weighted(None) => formatter.write_str("weighted"),
            Objective::Weighted(Some(weights)) => {
                let weights = Goal::ALL.iter().map(|goal| format!("{}={}", goal.name(), weights.of(*goal)));
                write!(formatter, "weighted:{}", weights.format(","))
            }
        }
    }
}

impl JsonSchema for Objective {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SiavashiObjective".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        GOALS.schema()
    }
}
