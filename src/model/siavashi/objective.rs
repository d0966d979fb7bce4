//! How the three goals are combined, and how a program's stages express that.

use super::goal::Goal;
use crate::cluster::Amount;
use crate::milp::{ProgramBuilder, Sense};
use crate::model::{Goals, WeightsTooFine, exact_unit};
use good_lp::Expression;
use itertools::Itertools;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

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
    /// The weight of a goal.
    pub fn of(&self, goal: Goal) -> Amount {
        self.0[goal as usize]
    }
}

/// How objectives name the goals.
const GOALS: Goals<Goal> = Goals {
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

/// The goals that a text names, separated by commas.
///
/// # Errors
/// When one of them is none, or is named twice.
pub fn goals_named(text: &str) -> Result<Vec<Goal>, String> {
    GOALS.parse(&format!("lexicographic:{text}"))
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

/// What the goals of a problem are made of: their units and the most they can be.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The greatest amount of which every value of the goal is a whole multiple, in the order of [`Goal::ALL`].
    pub units: [Amount; 3],
    /// No value is greater.
    pub most: [Amount; 3],
}

/// How a program's stages express the objective.
#[derive(Clone, Debug)]
pub struct Plan {
    stages: Vec<Option<Goal>>,
    extent: Extent,
    /// What one unit of each goal is worth in the weighted sum, in the order of [`Goal::ALL`]; nothing where there is none.
    steps: [Amount; 3],
    /// What the weighted sum is a whole multiple of.
    unit: Amount,
}

/// Why the weighted sum cannot be written exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExact {
    /// The weighted sum would need more than six digits after the point.
    #[error(
        "the weight of {goal} is {weight} and {goal} comes in steps of {unit}, so that the weighted sum would need more than six \
         digits after the point. Use coarser weights"
    )]
    Digits {
        /// The goal.
        goal: &'static str,
        /// Its weight.
        weight: Amount,
        /// Its unit.
        unit: Amount,
    },
    /// The weights are too far apart.
    #[error("{0}")]
    Range(#[from] WeightsTooFine),
}

/// The goals of a program as expressions in the order of [`Goal::ALL`], each in units of [`Plan::unit_of`].
pub(super) struct GoalExpressions(pub(super) [Expression; 3]);

impl Plan {
    /// Chooses the stages.
    ///
    /// Weights that guarantee the order acceptance, hardware, migrations are solved goal by goal: the optimum is the same,
    /// and each stage is a program with small exact numbers.
    ///
    /// # Errors
    /// When other weights make sums that doubles cannot tell apart.
    pub fn new(objective: &Objective, extent: Extent) -> Result<Self, NotExact> {
        let mut plan = Plan { stages: Vec::new(), extent, steps: [Amount::ZERO; 3], unit: Amount::ONE };
        let weights = match objective {
            Objective::Lexicographic(goals) => {
                plan.stages = goals.iter().copied().map(Some).collect();
                return Ok(plan);
            }
            Objective::Weighted(given) => given.unwrap_or_else(|| safe_weights(&extent)),
        };
        for goal in Goal::ALL {
            let (weight, unit) = (weights.of(goal), extent.units[goal as usize]);
            let too_fine = NotExact::Digits { goal: goal.name(), weight, unit };
            plan.steps[goal as usize] = weight.product(unit).ok_or(too_fine)?;
        }
        plan.stages = if plan.order_is_guaranteed() {
            Goal::ALL.map(Some).to_vec()
        } else {
            let total = Goal::ALL.iter().map(|&goal| plan.worth(goal, extent.most[goal as usize])).sum();
            let advice = "Use coarser weights, leave them out, or solve with `--objective lexicographic`";
            plan.unit = exact_unit(&plan.steps, total, advice)?;
            vec![None]
        };
        Ok(plan)
    }

    /// The plan of the goals one after the other.
    pub fn with_goals(&self, goals: &[Goal]) -> Self {
        Plan { stages: goals.iter().copied().map(Some).collect(), ..self.clone() }
    }

    /// Whether one unit of each goal outweighs all that the goals after it can be.
    fn order_is_guaranteed(&self) -> bool {
        let [acceptance, hardware, migrations] = self.steps;
        let [_, most_hardware, most_migrations] =
            Goal::ALL.map(|goal| self.worth(goal, self.extent.most[goal as usize]));
        let none = |amount: Amount| amount == Amount::ZERO;
        (migrations > Amount::ZERO || none(self.extent.most[Goal::Migrations as usize]))
            && (hardware > most_migrations || none(self.extent.most[Goal::Hardware as usize]))
            && acceptance > most_hardware + most_migrations
    }

    /// What a value of a goal is worth in the weighted sum.
    pub fn worth(&self, goal: Goal, value: Amount) -> Amount {
        let units =
            value.in_units_of(self.unit_of(goal)).expect("every value of a goal is a multiple of its unit");
        self.steps[goal as usize] * units
    }

    /// The weighted sum of acceptance, less hardware, less migrations.
    pub fn weighted(&self, values: [Amount; 3]) -> Amount {
        let [acceptance, hardware, migrations] =
            Goal::ALL.map(|goal| self.worth(goal, values[goal as usize]));
        acceptance - hardware - migrations
    }

    /// The goals in order; `None` for the single stage of the weighted sum.
    pub fn stages(&self) -> &[Option<Goal>] {
        &self.stages
    }

    /// The positions of all stages.
    pub fn all(&self) -> Range<usize> {
        0..self.stages.len()
    }

    /// How many stages at the beginning are about acceptance and hardware alone.
    pub fn stages_without_moves(&self) -> usize {
        let moves = |stage: &Option<Goal>| matches!(stage, None | Some(Goal::Migrations));
        self.stages.iter().position(moves).unwrap_or(self.stages.len())
    }

    /// The amount of which every value of the goal is a whole multiple.
    pub fn unit_of(&self, goal: Goal) -> Amount {
        self.extent.units[goal as usize]
    }

    /// What 1 is worth in the stage of the given name.
    pub fn unit_of_stage(&self, name: &str) -> Amount {
        let goal = Goal::ALL.into_iter().find(|goal| goal.name() == name);
        goal.map_or(self.unit, |goal| self.unit_of(goal))
    }

    /// `amount` as a coefficient of a goal's expression: a whole number, exact in a double.
    pub fn coefficient(&self, goal: Goal, amount: Amount) -> f64 {
        amount.in_units_of(self.unit_of(goal)).expect("every amount of a goal is a multiple of its unit")
            as f64
    }

    /// Adds some of the stages to a program.
    pub(super) fn add_stages(
        &self,
        builder: &mut ProgramBuilder,
        goals: &GoalExpressions,
        which: Range<usize>,
    ) {
        for stage in &self.stages[which] {
            match stage {
                Some(goal) => {
                    builder.stage(goal.name(), goal.sense(), goals.0[*goal as usize].clone(), Some(1.0))
                }
                None => {
                    let mut sum = Expression::default();
                    for goal in Goal::ALL {
                        let step =
                            self.steps[goal as usize].in_units_of(self.unit).expect("a common unit") as f64;
                        let sign = if goal.sense() == Sense::Maximize { 1.0 } else { -1.0 };
                        sum.add_mul(sign * step, &goals.0[goal as usize]);
                    }
                    builder.stage(WEIGHTED, Sense::Maximize, sum, Some(1.0));
                }
            }
        }
    }
}

/// Name of the stage of the weighted sum.
pub const WEIGHTED: &str = "weighted";

/// Whole weights under which one unit of each goal outweighs all goals after it.
fn safe_weights(extent: &Extent) -> Weights {
    let [acceptance, hardware, _] = extent.units;
    let [_, most_hardware, most_migrations] = extent.most;
    let above = |amount: Amount, unit: Amount| 1 + amount.millionths() / unit.millionths();
    let of_hardware = above(most_migrations, hardware);
    let below = most_hardware * of_hardware + most_migrations;
    Weights([Amount::whole(above(below, acceptance)), Amount::whole(of_hardware), Amount::ONE])
}
