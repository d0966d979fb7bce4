//! Words of scripts.

/// A word that the shell takes as it is.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Text that stays in one comment.
pub fn comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// A node's name as a part of a file's name.
///
/// # Errors
/// When it has letters that a file's name should not have.
pub fn file_part(node: &str) -> Result<&str, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let plain = !node.is_empty() && !node.starts_with('.') && node.chars().all(is_plain);
    plain.then_some(node).ok_or_else(|| {
        format!("the node {node:?} cannot be part of a file's name. Import its files under a name of letters, digits, dots and hyphens.")
    })
}
