//! A remark, and its words.

use ground::At;
use schemars::JsonSchema;
use serde::Serialize;

/// More GPUs than this are told by their number.
const MOST_NAMES: usize = 8;

/// How much a remark matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Mend it.
    Warning,
    /// Know it.
    Note,
}

/// A remark on a configuration.
#[derive(Clone, Debug)]
pub struct Lint {
    /// Its short, stable name.
    pub rule: &'static str,
    /// How much it matters.
    pub level: Level,
    /// Where it belongs.
    pub at: At,
    /// What is so, and what to do about it.
    pub message: String,
}

impl Lint {
    /// One to mend.
    pub(super) fn warning(rule: &'static str, at: At, message: String) -> Self {
        Lint { rule, level: Level::Warning, at, message }
    }

    /// One to know.
    pub(super) fn note(rule: &'static str, at: At, message: String) -> Self {
        Lint { rule, level: Level::Note, at, message }
    }
}

/// `GPU 0`, `GPUs 0 and 1`, or the first of them and how many more there are.
pub fn gpus_in_words(names: &[String]) -> String {
    let noun = if names.len() == 1 { "GPU" } else { "GPUs" };
    let listed = match names {
        [all @ .., last] if !all.is_empty() && names.len() <= MOST_NAMES => {
            format!("{} and {last}", all.join(", "))
        }
        _ if names.len() <= MOST_NAMES => names.join(", "),
        _ => format!("{} and {} more", names[..MOST_NAMES].join(", "), names.len() - MOST_NAMES),
    };
    format!("{noun} {listed}")
}
