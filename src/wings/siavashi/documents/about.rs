//! How answers repeat the question.

use crate::instance::Problem;
use crate::section::Residents;
use schemars::JsonSchema;
use serde::Serialize;

/// How answers repeat the question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct About {
    /// How the goals were combined.
    pub objective: String,
    /// Whether workloads that run may lose their place (siavashi).
    pub residents: Residents,
}

impl About {
    /// The question of a problem.
    pub fn new(problem: &Problem) -> Self {
        About { objective: problem.objective.to_string(), residents: problem.residents }
    }
}
