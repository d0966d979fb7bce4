//! The instances of the corpus, drawn by seeds: the same ones in every run.

mod dice;
mod family;
mod fleet;
pub mod migrator;
pub mod sharing;
pub mod siavashi;
mod siavashi_told;
pub mod wpm;
mod wpm_told;

use ground::SourceText;
use models::InstanceFile;
use serde_json::Value;

/// The corpus of the named model as it stands in its file: an instance per line, the fields in the order of the format; empty where
/// nothing is drawn.
pub fn corpus(model: &str) -> String {
    let drawn = match model {
        "wpm" => wpm::draw(),
        "siavashi" => siavashi::draw(),
        "migrator" => migrator::draw(),
        "sharing" => sharing::draw(),
        _ => Vec::new(),
    };
    drawn.iter().map(|instance| line(instance) + "\n").collect()
}

/// An instance in one line.
pub fn line(instance: &Value) -> String {
    let text = instance.to_string();
    let file: InstanceFile =
        SourceText::new("drawn", text.clone()).parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    serde_json::to_string(&file).expect("plain data serialises")
}

/// A candidate for the instances on which heuristics are far from the optimum.
pub fn candidate(model: &str, seed: u64) -> Value {
    match model {
        "wpm" => wpm::candidate(seed),
        "siavashi" => siavashi::candidate(seed),
        other => panic!("no hard cases of model {other} are searched for"),
    }
}
