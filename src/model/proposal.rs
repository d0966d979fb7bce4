//! A heuristic's placement as a document, judged by the verifier.

use super::contract::Question;
use super::entry::MetricValues;
use super::migrator::Readings;
use super::overrides::Overrides;
use super::sharing::Optimum;
use super::siavashi::Residents;
use super::solution::SolutionDocument;
use super::stage::StageDocument;
use super::verdict::{ScoreDocument, Verdict, ViolationDocument};
use super::wpm::{CostsDocument, UseCase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `migopt heuristic` answers, in JSON or YAML.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt proposal")]
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
    /// Which workloads and GPUs take part (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_case: Option<UseCase>,
    /// How the goals are combined.
    pub objective: String,
    /// The costs that applied, defaults included (wpm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<CostsDocument>,
    /// Whether workloads that run may lose their place (siavashi).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residents: Option<Residents>,
    /// Which servers the optimum may use (sharing).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<Optimum>,
    /// How ambiguous rules are read (migrator).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readings: Option<Readings>,
    /// Whether the placement obeys all rules.
    pub valid: bool,
    /// The rules that it breaks.
    pub violations: Vec<ViolationDocument>,
    /// The objectives in order, as the verifier counts them; empty if a rule is broken. A heuristic has no bounds.
    pub stages: Vec<StageDocument>,
    /// What the placement is worth; null if a rule is broken.
    pub score: Option<ScoreDocument>,
    /// The placement in numbers; null if a rule is broken.
    pub metrics: Option<MetricValues>,
    /// Wall-clock seconds of the heuristic alone.
    pub seconds: f64,
    /// The placement.
    pub solution: SolutionDocument,
}

impl ProposalDocument {
    /// Runs a heuristic of the model, `name` or `name:key=value,...`, and judges what it proposes.
    ///
    /// # Errors
    /// When there is no such heuristic.
    pub fn of_heuristic(question: &dyn Question, heuristic: &str, seed: u64) -> Result<Self, String> {
        let (verdict, seconds) = question.propose(heuristic, seed)?;
        Ok(Self::new(question, heuristic, seed, seconds, verdict))
    }

    /// Writes down what somebody proposed and how it was judged.
    pub fn new(question: &dyn Question, heuristic: &str, seed: u64, seconds: f64, verdict: Verdict) -> Self {
        let about = question.about();
        ProposalDocument {
            model: about.model.to_owned(),
            instance: about.instance,
            heuristic: heuristic.to_owned(),
            seed,
            use_case: about.use_case,
            objective: about.objective,
            costs: about.costs,
            residents: about.residents,
            optimum: about.optimum,
            readings: about.readings,
            valid: verdict.violations.is_empty(),
            violations: verdict.violations,
            stages: verdict.stages,
            score: verdict.score,
            metrics: verdict.metrics,
            seconds,
            solution: verdict.solution,
        }
    }
    /// The settings of the question that it answers.
    pub fn asked(&self) -> Overrides {
        Overrides {
            objective: (self.optimum.is_none() && self.readings.is_none()).then(|| self.objective.clone()),
            use_case: self.use_case,
            residents: self.residents,
            optimum: self.optimum,
            reconfiguration: self.readings.map(|readings| readings.reconfiguration),
            deployment: self.readings.map(|readings| readings.deployment),
            signature: self.readings.map(|readings| readings.signature),
        }
    }
}
