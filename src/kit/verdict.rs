//! What is asked and what a solution is worth, in the form that all documents about answers share.

use super::entry::MetricValues;
use super::solution::SolutionDocument;
use super::stage::StageDocument;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Marks the JSON Schema of a document that repeats the question, with its objective or without, for the catalogue of models to fill in.
pub const ABOUT: &str = "x-migopt-about";
/// Name of the JSON Schema of scores, for the catalogue of models to fill in.
pub const SCORE: &str = "ScoreDocument";
/// Marks the JSON Schema of a document that may have remarks.
pub const REMARKS: &str = "x-migopt-remarks";
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
}

impl VerdictDocument {
    /// The judgement of a solution that breaks rules.
    pub fn broken(violations: Vec<ViolationDocument>) -> Self {
        VerdictDocument { valid: false, violations, stages: Vec::new(), score: None, metrics: None }
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

/// What a solution is worth, as its model counts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(Value);

impl Score {
    /// Writes a model's score down.
    pub fn of(score: &impl Serialize) -> Self {
        Score(serde_json::to_value(score).expect("plain data serialises"))
    }

    /// The score as its model reads it; none if it is another model's.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.0).ok()
    }

    /// A field of it.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }
}

/// The catalogue of models fills in what the scores of the models are.
impl JsonSchema for Score {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        SCORE.into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object"})
    }
}
