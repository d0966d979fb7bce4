//! The non-dominated values of two goals: as a model's own, and as a document.

use super::score::Score;
use super::solution::SolutionDocument;
use super::solving::Status;
use super::stage::SenseName;
use super::terms::Terms;
use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A point of a frontier: the values of two goals and a solution that has them.
pub struct Point<W: Terms> {
    /// The values.
    pub values: [Amount; 2],
    /// The solution.
    pub solution: W::Solution,
    /// What it is worth.
    pub score: W::Score,
}

/// The non-dominated values of two goals.
pub struct Frontier<W: Terms> {
    /// The formulation used.
    pub formulation: &'static str,
    /// The two goals.
    pub goals: [GoalEntry; 2],
    /// The points, from the best value of the first goal on.
    pub points: Vec<Point<W>>,
    /// [`Status::Optimal`] when the list is complete.
    pub status: Status,
    /// Why there is no point at all, where that is proved.
    pub reason: Option<String>,
    /// Remarks on how it was found, in words.
    pub notes: Vec<String>,
}

impl<W: Terms> Frontier<W> {
    /// The points that were found, with what each is worth in the two goals, of which name and direction are given.
    pub fn new(
        formulation: &'static str,
        goals: [(&str, SenseName); 2],
        found: Vec<(W::Solution, W::Score)>,
        values: impl Fn(&W::Score) -> [Amount; 2],
        status: Status,
    ) -> Self {
        let point = |(solution, score)| Point { values: values(&score), solution, score };
        Frontier {
            formulation,
            goals: goals.map(|(name, sense)| GoalEntry { name: name.to_owned(), sense }),
            points: found.into_iter().map(point).collect(),
            status,
            reason: None,
            notes: Vec::new(),
        }
    }
}

/// What `migopt pareto` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "migopt frontier", extend("x-migopt-about" = false))]
pub struct FrontierDocument {
    /// The model.
    pub model: String,
    /// Name of the instance.
    pub instance: String,
    /// The formulation used.
    pub formulation: String,
    /// The solver used.
    pub solver: String,
    /// Version of the solver's library.
    pub solver_version: String,
    /// The question as it was asked: the settings of the model but for the objective.
    #[serde(flatten)]
    #[schemars(skip)]
    pub about: Map<String, Value>,
    /// The two goals.
    pub goals: [GoalEntry; 2],
    /// `optimal` when the list is complete: every point is proved, and no other pair of values is non-dominated; `infeasible` when it
    /// is proved that no solution obeys all rules.
    pub status: Status,
    /// Why no solution obeys all rules; only with the status `infeasible`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The points, from the best value of the first goal on. Each is proved: no solution is as good in one goal and better in the
    /// other.
    pub points: Vec<FrontierPoint>,
    /// Remarks on how they were found, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// A goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoalEntry {
    /// Its name.
    pub name: String,
    /// Its direction.
    pub sense: SenseName,
}

/// A non-dominated pair of values.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrontierPoint {
    /// The values of the two goals.
    pub values: [Amount; 2],
    /// What the solution is worth in all goals.
    pub score: Option<Score>,
    /// A solution with these values.
    pub solution: SolutionDocument,
}
