//! The models, one line each.

use super::contract::Model;
use super::entry::{MetricEntry, unknown};
use super::migrator::Migrator;
use super::sharing::Sharing;
use super::siavashi::Siavashi;
use super::wpm::Wpm;

/// All models, the default first.
pub const MODELS: &[&dyn Model] = &[&Wpm, &Siavashi, &Migrator, &Sharing];

/// The model of the given name.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub fn model_named(name: &str) -> Result<&'static dyn Model, String> {
    MODELS.iter().copied().find(|model| model.name() == name).ok_or_else(|| {
        let known: Vec<&str> = MODELS.iter().map(|model| model.name()).collect();
        unknown(name, "a model", "Models", &known)
    })
}

/// The metrics of the named model; none if there is no such model.
pub fn metrics_of(model: &str) -> &'static [MetricEntry] {
    model_named(model).map_or(&[], |model| model.metrics())
}
