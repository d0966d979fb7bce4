//! Scores as documents hold them, whatever their model.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Name of the JSON Schema of scores, for the catalogue of models to fill in.
pub const SCORE: &str = "ScoreDocument";

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
