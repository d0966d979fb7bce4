//! The text of an input file, and errors that point into it.

use itertools::Itertools;
use serde::de::DeserializeOwned;
use serde_yaml::{Error as YamlError, Location as YamlLocation};
use std::path::Path;

/// What is wrong with an input: one paragraph that names the file, the place, the rule and the mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(.file, *.line, *.column))]
pub struct InputError {
    /// The file, or `standard input`.
    pub file: String,
    /// Line from 1, where known.
    pub line: Option<u64>,
    /// Column from 1, where known.
    pub column: Option<u64>,
    /// Field, rule broken and how to mend it.
    pub message: String,
}

fn place(file: &str, line: Option<u64>, column: Option<u64>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
        (Some(line), None) => format!("{file}:{line}: "),
        _ => format!("{file}: "),
    }
}

/// ` (did you mean "x"?)` when a known name is close to the one given, else nothing.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, name)| distance <= 1 + name.len() / 4)
        .min()
        .map(|(_, name)| format!(" (did you mean \"{name}\"?)"))
        .unwrap_or_default()
}

/// Whether a line of YAML or JSON has `key` as a key.
fn has_key(line: &str, key: &str) -> bool {
    line.match_indices(key).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':') && before.is_none_or(|character| " {,-\"'".contains(character))
    })
}

/// An input file in memory.
#[derive(Clone, Debug)]
pub struct SourceText {
    name: String,
    text: String,
}

impl SourceText {
    /// A text under a name for messages.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        SourceText { name: name.into(), text: text.into() }
    }

    /// Reads a file; `-` reads standard input.
    ///
    /// # Errors
    /// When the file cannot be read or is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let (name, bytes) = if path == Path::new("-") {
            let mut bytes = Vec::new();
            let read = std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes);
            ("standard input".to_owned(), read.map(|_| bytes))
        } else {
            (path.display().to_string(), std::fs::read(path))
        };
        let source = SourceText::new(name, String::new());
        let bytes = bytes.map_err(|error| source.error(format!("cannot be read: {error}. Check the path and its permissions.")))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            source.error("is not UTF-8 text. Instances and solutions are YAML or JSON in UTF-8.".to_owned())
        })?;
        Ok(SourceText { text, ..source })
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error about the file as a whole.
    pub fn error(&self, message: impl Into<String>) -> InputError {
        InputError { file: self.name.clone(), line: None, column: None, message: message.into() }
    }

    /// An error at a location that the parser gave; with a field, at that field's line below it.
    pub fn error_at(&self, location: YamlLocation, field: Option<&str>, message: impl Into<String>) -> InputError {
        let line = Some(location.line()).filter(|&line| line > 0);
        let line = match (line, field) {
            (Some(line), Some(field)) => Some(self.line_of_field(line, field).unwrap_or(line)),
            _ => line,
        };
        InputError { file: self.name.clone(), line, column: None, message: message.into() }
    }

    /// An error at a nested key of the file, looked up by its path of keys from the top.
    pub fn error_at_key(&self, path: &[&str], message: impl Into<String>) -> InputError {
        let mut line = 1;
        for (depth, key) in path.iter().enumerate() {
            let found = self.text.lines().enumerate().skip(line - 1).find(|(_, text)| {
                let nested = depth == 0 || text.contains(['{', ' ']);
                nested && has_key(text, key)
            });
            match found {
                Some((index, _)) => line = index + 1,
                None => return self.error(message),
            }
        }
        InputError { file: self.name.clone(), line: Some(line as u64), column: None, message: message.into() }
    }

    /// The first line from `entry` on, before the indentation falls back, that has the key `field`.
    fn line_of_field(&self, entry: u64, field: &str) -> Option<u64> {
        let first = usize::try_from(entry).ok()?.checked_sub(1)?;
        let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
        let mut lines = self.text.lines().enumerate().skip(first);
        let (_, head) = lines.next()?;
        if has_key(head, field) {
            return Some(entry);
        }
        lines
            .take_while(|(_, line)| line.trim().is_empty() || (indentation(line) >= indentation(head) && !line.trim_start().starts_with("- ")) || indentation(line) > indentation(head))
            .find(|(_, line)| has_key(line, field))
            .map(|(index, _)| index as u64 + 1)
    }

    /// Reads the text as YAML (of which JSON is a part) into `T`.
    ///
    /// Alias bombs run into a budget; large instances do not, as the budget grows with the text.
    ///
    /// # Errors
    /// With line, column and the rule broken; unknown fields come with the known ones and a guess.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, InputError> {
        let size = self.text.len().max(100_000);
        let options = serde_yaml::options! {
            budget: serde_yaml::budget! {
                max_events: size,
                max_nodes: size,
                max_total_scalar_bytes: 2 * size,
                max_total_comment_bytes: size,
            },
            emit_comments: false,
            with_snippet: false,
        };
        serde_yaml::from_str_with_options(&self.text, options).map_err(|error| self.parse_error(&error))
    }

    fn parse_error(&self, error: &YamlError) -> InputError {
        let location = error.location();
        let message = match error.without_snippet() {
            YamlError::SerdeUnknownField { field, expected, .. } => format!(
                "unknown field `{field}`{}. Known fields here: {}.",
                did_you_mean(field, expected.iter().copied()),
                expected.iter().join(", ")
            ),
            YamlError::SerdeUnknownVariant { variant, expected, .. } => format!(
                "unknown value `{variant}`{}. Known values here: {}.",
                did_you_mean(variant, expected.iter().copied()),
                expected.iter().join(", ")
            ),
            YamlError::SerdeMissingField { field, .. } => {
                format!("the field `{field}` is missing. Add it to the entry that starts here.")
            }
            other => {
                let text = other.to_string();
                let text = text.split(" at line ").next().unwrap_or_default().trim().trim_end_matches('.').to_owned();
                format!("this is not valid here: {text}. Compare with `migopt schema instance` or an example under instances/.")
            }
        };
        let line = location.map(|location| location.line()).filter(|&line| line > 0);
        let column = location.map(|location| location.column()).filter(|&column| column > 0);
        InputError { file: self.name.clone(), line, column: line.and(column), message }
    }
}
