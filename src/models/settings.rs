//! The settings of all models in one list, for flags and requests.

use super::wings::wings;
use ground::capitalised;
use itertools::Itertools;
use kit::{ParameterEntry, Wing};

/// The settings of the model that a wing describes.
pub fn settings_of<W: Wing>() -> Vec<ParameterEntry> {
    W::SETTINGS.iter().map(|setting| setting.parameter.entry(None)).collect()
}

macro_rules! settings_by_model {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        /// The settings of each model, by its name.
        fn by_model() -> Vec<(&'static str, Vec<ParameterEntry>)> {
            vec![$((<$wing>::NAME, settings_of::<$wing>())),+]
        }
    };
}
wings!(settings_by_model);

/// Names of the models that have a setting.
pub fn models_with(name: &str) -> Vec<&'static str> {
    let has = |settings: &[ParameterEntry]| settings.iter().any(|setting| setting.name == name);
    by_model().into_iter().filter(|(_, settings)| has(settings)).map(|(model, _)| model).collect()
}

/// Every setting that a model has, once, by name.
pub fn settings() -> Vec<ParameterEntry> {
    by_model().into_iter().flat_map(|(_, settings)| settings).unique_by(|setting| setting.name).collect()
}

/// What a setting is: each sentence once, with the names of the models that say it.
pub fn setting_help(name: &str) -> String {
    let mut sentences: Vec<(&str, Vec<&str>)> = Vec::new();
    for (model, settings) in by_model() {
        let Some(setting) = settings.into_iter().find(|setting| setting.name == name) else { continue };
        match sentences.iter_mut().find(|(summary, _)| *summary == setting.summary) {
            Some((_, models)) => models.push(model),
            None => sentences.push((setting.summary, vec![model])),
        }
    }
    let words =
        sentences.iter().map(|(summary, models)| format!("{} ({})", capitalised(summary), models.join(", ")));
    format!("{}. Overrides the instance", words.collect_vec().join(". "))
}
