//! What lists and flags say of the parts of a model.

use super::parameter::ParameterEntry;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeuristicEntry {
    /// Name, as flags take it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// What can be chosen about it.
    pub parameters: Vec<ParameterEntry>,
    /// The heuristic that differs from this one in nothing but what is studied, for reports to compare the two.
    pub counterpart: Option<&'static str>,
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
