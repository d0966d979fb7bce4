//! The models, one line each.

use super::wpm::heuristic::{HEURISTICS, Heuristic};
use super::wpm::{FORMULATIONS, FormulationEntry};
use crate::cluster::{METRICS, Metric};

/// What the rest of the house needs to know of a model.
pub struct ModelEntry {
    /// Name, as flags take it.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Ways of writing its problems as programs, the default first.
    pub formulations: &'static [FormulationEntry],
    /// Ways to propose a placement without proof.
    pub heuristics: &'static [&'static dyn Heuristic],
    /// What is counted about its solutions.
    pub metrics: &'static [Metric],
}

/// All models.
pub const MODELS: &[ModelEntry] = &[ModelEntry {
    name: "wpm",
    summary: "placement and migration of MIG workloads for the best profit (Turkkan et al.)",
    formulations: FORMULATIONS,
    heuristics: HEURISTICS,
    metrics: METRICS,
}];

/// The metrics of the named model; none if there is no such model.
pub fn metrics_of(model: &str) -> &'static [Metric] {
    MODELS.iter().find(|entry| entry.name == model).map_or(&[], |entry| entry.metrics)
}
