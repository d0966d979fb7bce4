//! Values that have names: those of settings, of parameters of heuristics and of generators.

use super::unknown::unknown;

/// A value and its name.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T> {
    /// Its name in files, flags and answers.
    pub name: &'static str,
    /// What it means, in one line; empty where the name says it.
    pub help: &'static str,
    /// The value.
    pub value: T,
}

/// A choice as lists and flags show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChoiceEntry {
    /// Its name.
    pub name: &'static str,
    /// What it means, in one line; empty where the name says it.
    pub help: &'static str,
}

/// A type of which every value has a name.
pub trait Choices: Copy + PartialEq + 'static {
    /// All values, in the order of lists.
    const ALL: &'static [Choice<Self>];

    /// The name of a value.
    fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|choice| choice.value == self);
        found.expect("every value is listed").name
    }

    /// The value of a name.
    ///
    /// # Errors
    /// When there is none; the message lists the names.
    fn named(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|choice| choice.name == text);
        found.map(|choice| choice.value).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|choice| choice.name).collect();
            unknown(text, "one of the values", "Values", &names)
        })
    }

    /// All values as lists and flags show them.
    fn entries() -> Vec<ChoiceEntry> {
        Self::ALL.iter().map(|choice| ChoiceEntry { name: choice.name, help: choice.help }).collect()
    }
}

impl Choices for bool {
    const ALL: &'static [Choice<bool>] =
        &[Choice { name: "yes", help: "", value: true }, Choice { name: "no", help: "", value: false }];
}
