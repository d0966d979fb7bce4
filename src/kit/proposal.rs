//! A heuristic's placement as a document, judged by the verifier.

use super::entry::MetricValues;
use super::score::Score;
use super::solution::SolutionDocument;
use super::stage::StageDocument;
use super::verdict::{About, Verdict, ViolationDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What `migopt heuristic` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "migopt proposal", extend("x-migopt-about" = true))]
#[non_exhaustive]
pub struct ProposalDocument {
    /// The model.
    pub model: String,
    /// Name of the instance.
    pub instance: String,
    /// The heuristic with its parameters, or `exec:` and the command of an external one.
    pub heuristic: String,
    /// The seed that it was given.
    pub seed: u64,
    /// The question as it was asked: `objective` and the settings of the model.
    #[serde(flatten)]
    #[schemars(skip)]
    pub about: Map<String, Value>,
    /// Whether the placement obeys all rules.
    pub valid: bool,
    /// The rules that it breaks.
    pub violations: Vec<ViolationDocument>,
    /// The objectives in order, as the verifier counts them; empty if a rule is broken. A heuristic has no bounds.
    pub stages: Vec<StageDocument>,
    /// What the placement is worth; null if a rule is broken.
    pub score: Option<Score>,
    /// The placement in numbers; null if a rule is broken.
    pub metrics: Option<MetricValues>,
    /// Wall-clock seconds of the heuristic alone.
    pub seconds: f64,
    /// The placement.
    pub solution: SolutionDocument,
}

impl ProposalDocument {
    /// Writes down what a heuristic proposed and how it was judged.
    pub fn new(about: About, heuristic: &str, seed: u64, seconds: f64, verdict: Verdict) -> Self {
        ProposalDocument {
            model: about.model.to_owned(),
            instance: about.instance,
            heuristic: heuristic.to_owned(),
            seed,
            about: about.fields,
            valid: verdict.violations.is_empty(),
            violations: verdict.violations,
            stages: verdict.stages,
            score: verdict.score,
            metrics: verdict.metrics,
            seconds,
            solution: verdict.solution,
        }
    }
}
