//! What lists and flags say of the parts of a model.

use crate::cluster::did_you_mean;
use serde_json::Number;
use std::collections::BTreeMap;

/// A way of writing a model's problems as programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormulationEntry {
    /// Name, as flags take it.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
}

/// A heuristic of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeuristicEntry {
    /// Name, as flags take it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// What can be chosen about it.
    pub parameters: &'static [ParameterEntry],
    /// The heuristic that differs from this one in nothing but what is studied, for reports to compare the two.
    pub counterpart: Option<&'static str>,
}

/// A parameter of a heuristic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParameterEntry {
    /// Name, as in `heuristic:name=value`.
    pub name: &'static str,
    /// What it is, which values it takes, and which it has by default; in one line.
    pub summary: &'static str,
}

/// A number that is counted about a model's solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetricEntry {
    /// Its name in documents.
    pub name: &'static str,
    /// Its name for readers.
    pub title: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Whether more is better.
    pub more_is_better: bool,
    /// What exactly it is.
    pub definition: &'static str,
}

/// Values of metrics by name; whole numbers stay whole.
pub type MetricValues = BTreeMap<String, Number>;

/// Words for a name that is none of the known ones, such as `"wpn" is not a model (did you mean "wpm"?). Models: wpm.`
pub(crate) fn unknown(given: &str, kind: &str, kinds: &str, known: &[&str]) -> String {
    let guess = did_you_mean(given, known.iter().copied());
    format!("\"{given}\" is not {kind}{guess}. {kinds}: {}.", known.join(", "))
}

/// The one of the named values of a parameter that a text names.
///
/// # Errors
/// When it names none; the message lists them.
pub(crate) fn choice<T: Copy>(key: &str, text: &str, named: &[(&str, T)]) -> Result<T, String> {
    let found = named.iter().find(|(name, _)| *name == text);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = named.iter().map(|&(name, _)| name).collect();
        unknown(text, &format!("a value of {key}"), "Values", &names)
    })
}
