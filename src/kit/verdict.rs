//! What is asked and what a solution is worth, in the form that all documents about answers share.

use super::certified::CertificateDocument;
use super::entry::MetricValues;
use super::score::Score;
use super::solution::SolutionDocument;
use super::stage::StageDocument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Marks the JSON Schema of a document that repeats the question, with its objective or without, for the catalogue of models to fill in.
pub const ABOUT: &str = "x-migopt-about";
/// Marks the JSON Schema of a document that may have remarks.
pub const REMARKS: &str = "x-migopt-remarks";
/// Marks the JSON Schema of the name of a reading.
pub const READING: &str = "x-migopt-reading";
/// Marks the JSON Schema of a document that may have settings of questions.
pub const SETTINGS: &str = "x-migopt-settings";

/// A question as answers repeat it, so that they can be understood and judged without the command line that asked.
#[derive(Clone, Debug)]
pub struct About {
    /// The model.
    pub model: &'static str,
    /// Name of the instance.
    pub instance: String,
    /// How the goals are combined, and the settings of the model, in the order of documents.
    pub fields: Map<String, Value>,
}

/// What a solution breaks, or what it is worth.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The rules that it breaks.
    pub violations: Vec<ViolationDocument>,
    /// The objectives in order, without bounds; empty if a rule is broken.
    pub stages: Vec<StageDocument>,
    /// Its worth; none if a rule is broken.
    pub score: Option<Score>,
    /// The solution in numbers; none if a rule is broken.
    pub metrics: Option<MetricValues>,
    /// The solution itself.
    pub solution: SolutionDocument,
}

/// A verdict as a document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerdictDocument {
    /// Whether the solution obeys all rules.
    pub valid: bool,
    /// The rules that it breaks.
    pub violations: Vec<ViolationDocument>,
    /// The objectives in order, without bounds; empty if a rule is broken.
    pub stages: Vec<StageDocument>,
    /// What it is worth; null if a rule is broken.
    pub score: Option<Score>,
    /// The solution in numbers; null if a rule is broken.
    pub metrics: Option<MetricValues>,
    /// What its certificate comes to, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateDocument>,
}

impl VerdictDocument {
    /// The judgement of a solution that breaks rules.
    pub fn broken(violations: Vec<ViolationDocument>) -> Self {
        VerdictDocument {
            valid: false,
            violations,
            stages: Vec::new(),
            score: None,
            metrics: None,
            certificate: None,
        }
    }
}

impl From<Verdict> for VerdictDocument {
    fn from(verdict: Verdict) -> Self {
        VerdictDocument {
            valid: verdict.violations.is_empty(),
            violations: verdict.violations,
            stages: verdict.stages,
            score: verdict.score,
            metrics: verdict.metrics,
            certificate: None,
        }
    }
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
