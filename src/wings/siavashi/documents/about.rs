//! How answers repeat the question.

use crate::instance::{Limits, Problem};
use crate::section::{Goal, Residents};
use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How answers repeat the question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct About {
    /// How the goals were combined.
    pub objective: String,
    /// Whether workloads that run may lose their place (siavashi).
    pub residents: Residents,
    /// How many running workloads may be moved at most, where that is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_migrations: Option<u32>,
    /// How many running workloads may be disrupted at most, where that is limited; hosts may have limits of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_disrupted: Option<u32>,
    /// What one of each goal is worth in the weighted sum, where that is the objective: as given, or safe weights (siavashi).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<GoalWeights>,
}

/// What one of each goal is worth in the weighted sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoalWeights {
    /// One of acceptance (3).
    pub acceptance: Amount,
    /// One of hardware (4).
    pub hardware: Amount,
    /// One of migrations (5).
    pub migrations: Amount,
}

impl About {
    /// The question of a problem.
    pub fn new(problem: &Problem) -> Self {
        let weights = problem.weighted_sum().map(|sum| {
            let [acceptance, hardware, migrations] = Goal::ALL.map(|goal| sum.weights().of(goal));
            GoalWeights { acceptance, hardware, migrations }
        });
        let Limits { max_migrations, max_disrupted } = problem.limits;
        let objective = problem.objective.to_string();
        About { objective, residents: problem.residents, max_migrations, max_disrupted, weights }
    }
}
