//! Settings of a question: what the command line, or an answer that is read back, may ask for instead of what the instance says.

use super::parameter::Parameter;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A setting of a model. `Given` is what the model keeps of an instance.
pub struct Setting<Given> {
    /// Its name as in the section of the instance file (flags have it with hyphens), its values, and how to give it one.
    pub parameter: Parameter<Given>,
    /// Where answers repeat it: the keys from the top of the document.
    pub repeated: &'static [&'static str],
}

impl<Given> Setting<Given> {
    /// The value that an answer repeats.
    pub fn read_back(&self, answer: &Map<String, Value>) -> Option<String> {
        let (first, rest) = self.repeated.split_first()?;
        let value = rest.iter().try_fold(answer.get(*first)?, |value, key| value.get(key));
        match value? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// Settings of the question that take the place of the instance's, by name. A model refuses those that it does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "BTreeMap<String, Option<String>>")]
pub struct Overrides(#[schemars(with = "BTreeMap<String, Option<String>>")] Vec<(String, String)>);

impl Overrides {
    /// The same settings and one more, or with another value of that one.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(given, _)| *given == name) {
            Some((_, given)) => *given = value,
            None => self.0.push((name, value)),
        }
        self
    }

    /// These settings, and others where these say nothing.
    #[must_use]
    pub fn or(mut self, others: Overrides) -> Self {
        for (name, value) in others.0 {
            if self.0.iter().all(|(given, _)| *given != name) {
                self.0.push((name, value));
            }
        }
        self
    }

    /// The same settings but for one.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.0.retain(|(given, _)| given != name);
        self
    }

    /// Name and value of each setting that is given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl From<BTreeMap<String, Option<String>>> for Overrides {
    fn from(settings: BTreeMap<String, Option<String>>) -> Self {
        settings.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

impl FromIterator<(String, String)> for Overrides {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(settings: I) -> Self {
        Overrides(settings.into_iter().collect())
    }
}

impl std::fmt::Display for Overrides {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = self.iter().map(|(name, value)| format!("{} {value}", name.replace('_', " ")));
        formatter.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}

/// Why an override cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RefusedOverride {
    /// Name of the setting.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub message: String,
}
