//! The non-dominated values of two goals as a document.

use super::siavashi::Residents;
use super::solution::SolutionDocument;
use super::solving::Status;
use super::stage::SenseName;
use super::verdict::ScoreDocument;
use crate::cluster::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `migopt pareto` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt frontier")]
#[non_exhaustive]
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
    /// Whether workloads that run may lose their place (siavashi).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residents: Option<Residents>,
    /// The two goals.
    pub goals: [GoalEntry; 2],
    /// `optimal` when the list is complete: every point is proved, and no other pair of values is non-dominated.
    pub status: Status,
    /// The points, from the best value of the first goal on. Each is proved: no solution is as good in one goal and better in the
    /// other.
    pub points: Vec<FrontierPoint>,
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
#[non_exhaustive]
pub struct FrontierPoint {
    /// The values of the two goals.
    pub values: [Amount; 2],
    /// What the solution is worth in all goals.
    pub score: Option<ScoreDocument>,
    /// A solution with these values.
    pub solution: SolutionDocument,
}
