//! Names and descriptions of generated windows.

use super::options::{GeneratorOptions, Source, USUAL_COMPRESSION, USUAL_PSI_SHARE};
use crate::section::{Readings, usual_board};
use ground::Amount;
use itertools::Itertools;
use kit::Choices;

/// Everything that was asked for, so that different instances have different names.
pub fn name(options: &GeneratorOptions) -> String {
    let mut parts =
        vec!["migrator".to_owned(), options.workload.name.clone(), format!("{}s", options.window)];
    parts.extend((options.basis != Amount::ONE).then(|| format!("basis{}", options.basis)));
    parts.extend(others(options, |setting, value| format!("{}{value}", setting.replace(' ', "-"))));
    parts.push(format!("seed{}", options.seed));
    parts.iter().map(|part| fit_for_a_file(part)).join("-")
}

/// What instances have in common that differ by chance, which is the seed, alone.
pub fn family(options: &GeneratorOptions) -> String {
    let GeneratorOptions { workload, window, basis, .. } = options;
    let mut parts = vec![format!("migrator {}", workload.name), format!("{window} s, basis {basis} s")];
    parts.extend(others(options, |setting, value| format!("{setting} {value}").trim().to_owned()));
    parts.join(", ")
}

/// The settings beside workload, window and basis that are not the usual ones.
fn others(options: &GeneratorOptions, words: impl Fn(&str, &str) -> String) -> Vec<String> {
    let GeneratorOptions { load, volume, psi_share, readings, .. } = options;
    let usual = Readings::default();
    let mut found = Vec::new();
    let mut add = |is_other: bool, setting: &str, value: String| {
        found.extend(is_other.then(|| words(setting, &value)));
    };
    let board = options.gpu.board.name();
    add(board != usual_board(), "", board.to_owned());
    add(*load != Amount::ONE, "load", load.to_string());
    add(*volume != Amount::ONE, "volume", volume.to_string());
    add(*psi_share != USUAL_PSI_SHARE, "psi", psi_share.to_string());
    add(readings.reconfiguration != usual.reconfiguration, "", readings.reconfiguration.name().to_owned());
    add(readings.deployment != usual.deployment, "", readings.deployment.name().to_owned());
    add(readings.signature != usual.signature, "", readings.signature.name().to_owned());
    if let Some(Source { recordings, compression, scale }) = &options.source {
        add(true, "", recordings.iter().map(|recording| &recording.name).join("-"));
        add(*compression != USUAL_COMPRESSION, "compression", compression.to_string());
        add(scale.is_some(), "scale", scale.unwrap_or_default().to_string());
    }
    found
}

/// A name without what folders and shells read as something else.
fn fit_for_a_file(part: &str) -> String {
    let fitting = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    part.chars().map(|character| if fitting(character) { character } else { '-' }).collect()
}

/// What a window is, for readers; `models` says it of each model.
pub fn description(options: &GeneratorOptions, models: &[String]) -> String {
    let GeneratorOptions { workload, window, basis, .. } = options;
    let speed = match &options.source {
        Some(source) => format!(", recordings {} times as fast", source.compression),
        None => String::new(),
    };
    format!(
        "Generated: workload {} as in section 5.1 of Wang et al. ({}); {window} s in slots of {basis} s{speed}.",
        workload.name,
        models.join(", ")
    )
}
