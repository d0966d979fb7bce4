//! What certificates call things.

use std::collections::BTreeSet;

/// A name without what separates words.
pub fn one_word(name: &str) -> String {
    let is_plain = |character: char| !character.is_whitespace() && !character.is_control();
    name.chars().map(|character| if is_plain(character) { character } else { '_' }).collect()
}

/// The name, or with the least number behind it that makes it new.
pub fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}~{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| taken.insert(name.clone())).expect("there are more numbers than names")
}
