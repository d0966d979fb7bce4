//! The catalogue of models.

use super::adapter::Of;
use super::listed::Listed;
use super::model::Model;
use super::wings::wings;
use kit::{MetricEntry, unknown};

macro_rules! models {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        /// All models, the default first.
        pub const MODELS: &[&dyn Model] = &[$(&Of::<$wing>::MODEL),+];
    };
}
wings!(models);

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

/// The model of a wing.
pub fn model_of<W: Listed>() -> &'static dyn Model {
    model_named(W::NAME).expect("it is in the catalogue")
}

/// The metrics of the named model; none if there is no such model.
pub fn metrics_of(model: &str) -> Vec<MetricEntry> {
    model_named(model).map_or_else(|_| Vec::new(), |model| model.metrics())
}
