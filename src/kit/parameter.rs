//! What can be chosen about heuristics, generators and questions, as data: name, help, values, and how to set it.

use super::choice::{ChoiceEntry, Choices};
use super::unknown::unknown;
use ground::capitalised;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What can be chosen about a `T`.
pub struct Parameter<T> {
    /// Name, as in `heuristic:name=value` and `--name`.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The values by name, where there are few.
    pub choices: fn() -> Vec<ChoiceEntry>,
    /// The value that a `T` has; none where that depends on other parameters.
    pub get: fn(&T) -> Option<String>,
    /// Gives a `T` another value; the error says which are allowed.
    pub set: fn(&mut T, &str) -> Result<(), String>,
}

/// A parameter as lists and flags show it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParameterEntry {
    /// Name, as in `heuristic:name=value` and `--name`.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The values by name, where there are few.
    pub choices: Vec<ChoiceEntry>,
    /// The value that it has where none is given; none where that depends on other parameters.
    pub default: Option<String>,
}

impl<T> Parameter<T> {
    /// What lists and flags say of it, where a `T` has a default.
    pub fn entry(&self, default: Option<&T>) -> ParameterEntry {
        ParameterEntry {
            name: self.name,
            summary: self.summary,
            choices: (self.choices)(),
            default: default.and_then(self.get),
        }
    }
}

/// What lists and flags say of the parameters of a `T` that is as it is by default.
pub fn parameter_entries<T>(parameters: &[Parameter<T>], default: &T) -> Vec<ParameterEntry> {
    parameters.iter().map(|parameter| parameter.entry(Some(default))).collect()
}

/// Why values of parameters are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusedValues {
    /// One of them is not allowed.
    #[error("the value of {name} is \"{value}\". {rule}.")]
    Value {
        /// Name of the parameter.
        name: String,
        /// The value.
        value: String,
        /// What would be allowed, as a sentence without its full stop.
        rule: String,
    },
    /// There is no such parameter, or they do not go together.
    #[error("{0}")]
    Other(String),
}

impl From<String> for RefusedValues {
    fn from(message: String) -> Self {
        RefusedValues::Other(message)
    }
}

impl From<RefusedValues> for String {
    fn from(refused: RefusedValues) -> Self {
        refused.to_string()
    }
}

/// Gives a `T` the values that are named. `owner` is what has the parameters, for messages.
///
/// # Errors
/// When a name is unknown or given twice, or a value is not allowed.
pub fn assign<T>(
    owner: &str,
    parameters: &[Parameter<T>],
    target: &mut T,
    values: &[(&str, &str)],
) -> Result<(), RefusedValues> {
    for (position, &(name, value)) in values.iter().enumerate() {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
            let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            return Err(unknown(name, &format!("a parameter of {owner}"), "Parameters", &known).into());
        };
        if values[..position].iter().any(|&(earlier, _)| earlier == name) {
            return Err(format!("the parameter {name} of {owner} is given twice. Keep one.").into());
        }
        (parameter.set)(target, value).map_err(|rule| RefusedValues::Value {
            name: name.to_owned(),
            value: value.to_owned(),
            rule: capitalised(rule.trim_end_matches('.')),
        })?;
    }
    Ok(())
}

/// No names: of parameters whose values are numbers.
pub fn no_choices() -> Vec<ChoiceEntry> {
    Vec::new()
}

/// Reads the value of a name into its place.
///
/// # Errors
/// When there is no such value; the message lists the names.
pub fn put_choice<T: Choices>(place: &mut T, text: &str) -> Result<(), String> {
    *place = T::named(text)?;
    Ok(())
}

/// Reads a whole number in a range.
///
/// # Errors
/// When the text is none; the message names the range.
pub fn whole<T: FromStr + PartialOrd + Display>(text: &str, range: RangeInclusive<T>) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
}

/// Reads a number in a range.
///
/// # Errors
/// When the text is none; the message names the range.
pub fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("give a number from {} to {}", range.start(), range.end()))
}

/// Reads a number from 0 to 1.
///
/// # Errors
/// When the text is none.
pub fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0..=1.0)
}
