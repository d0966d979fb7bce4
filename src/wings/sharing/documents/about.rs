//! How answers repeat the question.

use crate::instance::Problem;
use crate::section::Optimum;
use schemars::JsonSchema;
use serde::Serialize;

/// How answers repeat the question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct About {
    /// How the goals are combined.
    pub objective: String,
    /// Which servers the optimum may use (sharing).
    pub optimum: Optimum,
}

impl About {
    /// The question of a problem.
    pub fn new(problem: &Problem) -> Self {
        let goals: Vec<&str> = problem.optimum.goals().iter().map(|goal| goal.name()).collect();
        About { objective: format!("lexicographic:{}", goals.join(",")), optimum: problem.optimum }
    }
}
