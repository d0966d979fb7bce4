//! Lists of names in sentences.

use itertools::Itertools;

/// The first of some names, and whether there are more.
pub fn name_some(names: &[&str]) -> String {
    let more = if names.len() > 3 { ", ..." } else { "" };
    format!("{}{more}", names.iter().take(3).join(", "))
}
