//! The settings of all models in one list, for flags and requests.

use super::catalogue::MODELS;
use itertools::Itertools;
use kit::ParameterEntry;

/// Every setting that a model has, once, by name.
pub fn settings() -> Vec<ParameterEntry> {
    MODELS.iter().flat_map(|model| model.settings()).unique_by(|setting| setting.name).collect()
}

/// What a setting is: each sentence once, with the names of the models that say it.
pub fn setting_help(name: &str) -> String {
    let mut sentences: Vec<(&str, Vec<&str>)> = Vec::new();
    for model in MODELS {
        let Some(setting) = model.settings().into_iter().find(|setting| setting.name == name) else {
            continue;
        };
        match sentences.iter_mut().find(|(summary, _)| *summary == setting.summary) {
            Some((_, models)) => models.push(model.name()),
            None => sentences.push((setting.summary, vec![model.name()])),
        }
    }
    let words =
        sentences.iter().map(|(summary, models)| format!("{} ({})", capitalised(summary), models.join(", ")));
    format!("{}; instead of what the instance says", words.collect_vec().join("; "))
}

/// A sentence that begins with a capital letter.
pub fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
