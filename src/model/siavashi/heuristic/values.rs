//! Reading the values of parameters.

use crate::model::entry::unknown;

/// The values of a switch.
pub const YES_NO: &[(&str, bool)] = &[("yes", true), ("no", false)];

/// The one of the named values that a text names.
///
/// # Errors
/// When it names none; the message lists them.
pub fn choice<T: Copy>(key: &str, text: &str, named: &[(&str, T)]) -> Result<T, String> {
    let found = named.iter().find(|(name, _)| *name == text);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = named.iter().map(|&(name, _)| name).collect();
        unknown(text, &format!("a value of {key}"), "Values", &names)
    })
}
