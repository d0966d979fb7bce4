//! Words as texts for people need them.

use super::amount::grouped;
use std::fmt;

/// A number with the noun it counts, which takes an s in the plural.
pub fn counted(number: impl fmt::Display, noun: &str) -> String {
    let number = grouped(&number.to_string());
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A sentence that begins with a capital letter.
pub fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The first of some names, and whether there are more.
pub fn name_some(names: &[impl AsRef<str>]) -> String {
    let more = if names.len() > 3 { ", ..." } else { "" };
    let first: Vec<&str> = names.iter().take(3).map(AsRef::as_ref).collect();
    format!("{}{more}", first.join(", "))
}
