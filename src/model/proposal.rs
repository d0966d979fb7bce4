//! A heuristic's placement as a document, judged by the verifier.

use super::answer::{CostsDocument, SenseName, StageDocument};
use super::file::Instance;
use super::wpm::heuristic::Heuristic;
use super::wpm::{self, Goal, Objective, Score, Solution, SolutionDocument, UseCase};
use crate::cluster::{InputError, Metrics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What `migopt heuristic` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt proposal")]
pub struct ProposalDocument {
    /// The model: `wpm`.
    pub model: String,
    /// Name of the instance.
    pub instance: String,
    /// The heuristic, or `exec:` and the command of an external one.
    pub heuristic: String,
    /// The seed that it was given.
    pub seed: u64,
    /// Which workloads and GPUs take part.
    pub use_case: UseCase,
    /// How the goals are combined.
    pub objective: Objective,
    /// The costs that applied, defaults included.
    pub costs: CostsDocument,
    /// Whether the placement obeys all rules.
    pub valid: bool,
    /// The rules that it breaks.
    pub violations: Vec<ViolationDocument>,
    /// The objectives in order, as the verifier counts them; empty if a rule is broken. A heuristic has no bounds.
    pub stages: Vec<StageDocument>,
    /// What the placement is worth; null if a rule is broken.
    pub score: Option<Score>,
    /// The placement in numbers; null if a rule is broken.
    pub metrics: Option<Metrics>,
    /// Wall-clock seconds of the heuristic alone.
    pub seconds: f64,
    /// The placement.
    pub solution: SolutionDocument,
}

/// A rule that a solution breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViolationDocument {
    /// The rule's short, stable name.
    pub rule: String,
    /// What is wrong, in words.
    pub message: String,
}

impl From<&wpm::Violation> for ViolationDocument {
    fn from(violation: &wpm::Violation) -> Self {
        ViolationDocument { rule: violation.rule().to_owned(), message: violation.to_string() }
    }
}

impl ProposalDocument {
    /// Runs a heuristic on an instance and judges what it proposes.
    ///
    /// # Errors
    /// When the instance's settings break a rule.
    pub fn of_heuristic(
        instance: &Instance,
        heuristic: &dyn Heuristic,
        seed: u64,
    ) -> Result<Self, InputError> {
        let problem = instance.wpm_problem()?;
        let began = Instant::now();
        let placement = heuristic.propose(&problem, seed);
        let solution = Solution::from_placement(&problem, wpm::reading_for(&problem), placement);
        let seconds = began.elapsed().as_secs_f64();
        Ok(Self::of_solution(instance, &problem, heuristic.name(), seed, &solution, seconds))
    }

    /// Judges a solution.
    pub fn of_solution(
        instance: &Instance,
        problem: &wpm::Problem,
        heuristic: &str,
        seed: u64,
        solution: &Solution,
        seconds: f64,
    ) -> Self {
        let verdict = wpm::verify(problem, solution);
        let valid = verdict.violations.is_empty();
        let score = valid.then_some(&verdict.score);
        ProposalDocument {
            model: "wpm".to_owned(),
            instance: problem.cluster.name.clone(),
            heuristic: heuristic.to_owned(),
            seed,
            use_case: problem.use_case,
            objective: problem.objective.clone(),
            costs: CostsDocument::new(problem),
            valid,
            violations: verdict.violations.iter().map(ViolationDocument::from).collect(),
            stages: score.map(|score| values(&problem.objective, score)).unwrap_or_default(),
            metrics: score.map(|_| solution.metrics(problem)),
            score: score.cloned(),
            seconds,
            solution: SolutionDocument::new(problem, &instance.fingerprint, solution, &verdict.score),
        }
    }
}

/// The values of the objectives, without bounds.
fn values(objective: &Objective, score: &Score) -> Vec<StageDocument> {
    let stage = |name: &str, sense, value| StageDocument {
        name: name.to_owned(),
        sense,
        value: Some(value),
        bound: None,
    };
    match objective {
        Objective::Weighted => vec![stage("profit", SenseName::Maximize, score.profit)],
        Objective::Lexicographic(goals) => goals
            .iter()
            .map(|&goal| {
                let sense = if goal == Goal::Reward { SenseName::Maximize } else { SenseName::Minimize };
                stage(goal.name(), sense, score.goal(goal))
            })
            .collect(),
    }
}
