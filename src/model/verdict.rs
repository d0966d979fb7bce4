//! What is asked and what a solution is worth, in the form that all documents about answers share.

use super::entry::MetricValues;
use super::migrator::{self, Readings};
use super::sharing::{self, Optimum};
use super::siavashi::{self, Residents};
use super::solution::SolutionDocument;
use super::stage::StageDocument;
use super::wpm::{self, CostsDocument, UseCase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question as answers repeat it, so that they can be understood and judged without the command line that asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct About {
    /// The model.
    pub model: &'static str,
    /// Name of the instance.
    pub instance: String,
    /// How the goals are combined.
    pub objective: String,
    /// Which workloads and GPUs take part (wpm).
    pub use_case: Option<UseCase>,
    /// The costs that apply, defaults included (wpm).
    pub costs: Option<CostsDocument>,
    /// Whether workloads that run may lose their place (siavashi).
    pub residents: Option<Residents>,
    /// Which servers the optimum may use (sharing).
    pub optimum: Option<Optimum>,
    /// How ambiguous rules are read (migrator).
    pub readings: Option<Readings>,
}

/// What a solution breaks, or what it is worth.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// The rules that it breaks.
    pub violations: Vec<ViolationDocument>,
    /// The objectives in order, without bounds; empty if a rule is broken.
    pub stages: Vec<StageDocument>,
    /// Its worth; none if a rule is broken.
    pub score: Option<ScoreDocument>,
    /// The solution in numbers; none if a rule is broken.
    pub metrics: Option<MetricValues>,
    /// The solution itself.
    pub solution: SolutionDocument,
}

/// A rule that a solution breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ViolationDocument {
    /// The rule's short, stable name.
    pub rule: String,
    /// What is wrong, in words.
    pub message: String,
}

/// What a solution is worth, by model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ScoreDocument {
    /// By the rules of model wpm.
    Wpm(wpm::Score),
    /// By the rules of model siavashi.
    Siavashi(siavashi::Score),
    /// By the rules of model migrator.
    Migrator(migrator::Score),
    /// By the rules of model sharing.
    Sharing(sharing::Score),
}
