//! Reading YAML, and what the parser complains about in the words of this tool.

use super::problem_text::{InputError, SourceText, did_you_mean};
use itertools::Itertools;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_yaml::{Error as YamlError, Location as YamlLocation};

/// Longest piece of the file that a message repeats.
const LONGEST_QUOTE: usize = 40;

impl SourceText {
    /// Reads the text as YAML (of which JSON is a part) into `T`.
    ///
    /// # Errors
    /// With line, column and the rule broken; unknown fields come with the known ones and a guess.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, InputError> {
        self.deserialize().map_err(|error| explain(self, &error))
    }

    /// Alias bombs run into a budget; large instances do not, as the budget grows with the text.
    fn deserialize<T: DeserializeOwned>(&self) -> Result<T, YamlError> {
        let nodes = self.text().len().max(1_000_000);
        let bytes = 16 * nodes;
        let options = serde_yaml::options! {
            budget: serde_yaml::budget! {
                max_events: 2 * nodes,
                max_nodes: nodes,
                max_aliases: nodes,
                max_anchors: nodes,
                max_merge_keys: nodes,
                max_recorded_anchor_events: 2 * nodes,
                max_recorded_anchor_bytes: bytes,
                max_total_scalar_bytes: bytes,
                max_total_comment_bytes: bytes,
                enforce_alias_anchor_ratio: false,
            },
            emit_comments: false,
            with_snippet: false,
        };
        serde_yaml::from_str_with_options(self.text(), options)
    }
}

/// Says what is wrong, where, and how to mend it.
///
/// A slip in the layout often shows first as a field that is missing, so what is not YAML at all is told before what is
/// not an instance.
fn explain(source: &SourceText, error: &YamlError) -> InputError {
    match source.deserialize::<IgnoredAny>() {
        Err(deeper) if is_about_layout(&deeper) => translate(source, &deeper),
        _ => translate(source, error),
    }
}

fn is_about_layout(error: &YamlError) -> bool {
    let error = match error.without_snippet() {
        YamlError::AliasError { error, .. } => error.without_snippet(),
        error => error,
    };
    matches!(error, YamlError::ExternalMessage { .. } | YamlError::UnknownAnchor { .. })
        || is_about_size(error)
}

fn is_about_size(error: &YamlError) -> bool {
    matches!(
        error,
        YamlError::Budget { .. }
            | YamlError::AliasReplayLimitExceeded { .. }
            | YamlError::AliasExpansionLimitExceeded { .. }
            | YamlError::AliasReplayCounterOverflow { .. }
            | YamlError::AliasReplayStackDepthExceeded { .. }
    )
}

fn translate(source: &SourceText, error: &YamlError) -> InputError {
    let error = error.without_snippet();
    let YamlError::AliasError { error: inner, locations, .. } = error else {
        return describe(source, error, error.location());
    };
    let mut described = describe(source, inner.without_snippet(), Some(locations.reference_location));
    if !is_about_size(inner) {
        described.message += &format!(" The alias repeats line {}.", locations.defined_location.line());
    }
    described
}

/// The message for an error, and the place where the user has to look.
fn describe(source: &SourceText, error: &YamlError, location: Option<YamlLocation>) -> InputError {
    if let (YamlError::SerdeMissingField { field, .. }, Some(location)) = (error, location) {
        let message = format!("the field `{field}` is missing. Add it to the entry that starts here.");
        let message = source.error(message).moved_to(location);
        // The parser points at the last field of the entry.
        return InputError {
            line: message.line.map(|line| start_of_entry(source, line, location.column())),
            ..message
        };
    }
    let place = Place::new(source, location);
    let message = match error {
        YamlError::Eof { .. } if source.has_no_content() => {
            "the file is empty. `migopt generate` writes instances to start from; `migopt schema` prints the formats.".to_owned()
        }
        YamlError::ExternalMessage { msg, .. } if msg.contains("recursion limit") => over_budget("Depth"),
        YamlError::ExternalMessage { msg, .. } => {
            format!("this is not valid YAML: {msg}. Check brackets, quotes and indentation around this place.")
        }
        YamlError::MultipleDocuments { .. } => {
            "a second YAML document begins here (`---`). Keep one document per file.".to_owned()
        }
        YamlError::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the field `{key}` is given twice in this entry. Keep one.")
        }
        YamlError::DuplicateMappingKey { key: None, .. } => {
            "a field is given twice in this entry. Keep one.".to_owned()
        }
        YamlError::UnknownAnchor { .. } => {
            format!("the alias {} has no anchor. Mark an entry above with `&name` to repeat it with `*name`.", place.quote())
        }
        YamlError::Budget { breach, .. } => over_budget(&format!("{breach:?}")),
        error if is_about_size(error) => over_budget("Aliases"),
        YamlError::SerdeUnknownField { field, expected, .. } => unknown("field", field, expected),
        YamlError::SerdeUnknownVariant { variant, expected, .. } => unknown("value", variant, expected),
        YamlError::SerdeMissingField { field, .. } => {
            format!("the field `{field}` is missing. Add it to the entry that starts here.")
        }
        YamlError::InvalidScalar { ty, .. } => place.must_be(&scalar_in_words(ty)),
        YamlError::InvalidBooleanStrict { .. } => place.must_be("`true` or `false`"),
        YamlError::NonFiniteFloat { .. } => place.must_be("a finite number"),
        YamlError::NullIntoString { .. } => place.must_be("a text"),
        YamlError::Unexpected { expected, .. } => place.must_be(kind_in_words(expected)),
        YamlError::SerdeInvalidType { expected, .. } | YamlError::SerdeInvalidValue { expected, .. } => {
            place.must_be(expected)
        }
        YamlError::Message { msg, .. } => format!("{}{}", place.field_prefix(), sentence(msg)),
        other => {
            let text = other.to_string();
            let text = text.split(" at line ").next().unwrap_or_default();
            format!("{}{} `migopt schema` prints the formats.", place.field_prefix(), sentence(text))
        }
    };
    source.error(message).moved_to(location.unwrap_or(YamlLocation::UNKNOWN))
}

/// The line at which the entry begins that has a field at this line and column.
fn start_of_entry(source: &SourceText, line: u64, column: u64) -> u64 {
    let width = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
    let is_inside = |text: &str| text.chars().take(width).all(|character| character == ' ');
    let begins_item = |text: &str| {
        let dash = text.get(..width).unwrap_or_default().trim_start_matches(' ');
        dash.starts_with("- ") && dash.trim_matches([' ', '-']).is_empty()
    };
    let mut start = line;
    let lines: Vec<(u64, &str)> = (1..=line).zip(source.text().lines()).collect();
    for &(number, text) in lines.iter().rev() {
        if begins_item(text) {
            return number;
        }
        if !is_inside(text) {
            return start;
        }
        if text.chars().nth(width).is_some_and(|first| !" #".contains(first)) {
            start = number;
        }
    }
    start
}

fn unknown(kind: &str, given: &str, known: &[&'static str]) -> String {
    let guess = did_you_mean(given, known.iter().copied());
    format!("unknown {kind} `{given}`{guess}. Known {kind}s here: {}.", known.iter().join(", "))
}

fn over_budget(breach: &str) -> String {
    if breach.starts_with("Depth") {
        return "entries are nested too deeply here. No format of this tool needs more than a few levels."
            .to_owned();
    }
    "repeated by its aliases (`*name`) the text grows too large. Write the entries out, or use `count` and `replicas`."
        .to_owned()
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// A type of the parser in words.
fn scalar_in_words(parser_type: &str) -> String {
    let bits = |text: &str| text.parse::<u32>().ok().filter(|bits| *bits < 128);
    match parser_type {
        "boolean" => "`true` or `false`".to_owned(),
        _ => match parser_type.strip_prefix('u').and_then(bits) {
            Some(bits) => format!("a whole number from 0 to {}", (1u128 << bits) - 1),
            None => "a number".to_owned(),
        },
    }
}

/// A kind of YAML node in words.
fn kind_in_words(kind: &str) -> &str {
    match kind {
        "sequence start" => "a list (`[a, b]`, or lines that begin with `- `)",
        "mapping start" => "an entry with fields (lines `field: value`, or `{field: value}`)",
        "string scalar" | "scalar" => "a single value",
        other => other,
    }
}

/// A place in the text, and what stands there.
struct Place {
    /// The field before it on its line.
    field: Option<String>,
    /// What stands there.
    value: Option<String>,
}

impl Place {
    fn new(source: &SourceText, location: Option<YamlLocation>) -> Self {
        let nowhere = Place { field: None, value: None };
        let Some(location) = location.filter(|location| location.line() > 0 && location.column() > 0) else {
            return nowhere;
        };
        let position = |number: u64| usize::try_from(number - 1).unwrap_or(usize::MAX);
        let Some(line) = source.text().lines().nth(position(location.line())) else { return nowhere };
        let Some((split, _)) = line.char_indices().nth(position(location.column())) else {
            return Place { field: field_before(line), value: None };
        };
        let (before, here) = line.split_at(split);
        match key_at(here) {
            Some((field, rest)) => {
                Place { field: Some(field.to_owned()), value: value_after(rest.trim_start()) }
            }
            None => Place { field: field_before(before), value: value_after(here) },
        }
    }

    fn quote(&self) -> String {
        self.value.as_ref().map_or("nothing".to_owned(), |value| format!("`{value}`"))
    }

    fn field_prefix(&self) -> String {
        self.field.as_ref().map_or(String::new(), |field| format!("`{field}`: "))
    }

    fn must_be(&self, wanted: &str) -> String {
        let found = match self.value.as_deref() {
            None => "no value".to_owned(),
            Some(value) if value.starts_with('[') || value.starts_with("- ") => "a list".to_owned(),
            Some(value) if value.starts_with('{') => "an entry with fields".to_owned(),
            Some(value) => format!("`{value}`"),
        };
        format!("{}expected {wanted}, but here stands {found}.", self.field_prefix())
    }
}

/// The key that a piece of a line begins with, and what follows.
fn key_at(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.split_once(':')?;
    let key = key.trim_matches(['"', '\'']);
    let is_key = !key.is_empty()
        && key.chars().all(|character| character.is_alphanumeric() || "_-".contains(character));
    (is_key && rest.chars().next().is_none_or(char::is_whitespace)).then_some((key, rest))
}

/// The last `key:` of a piece of a line.
fn field_before(text: &str) -> Option<String> {
    let end = text.char_indices().rev().find(|&(at, character)| {
        character == ':' && text[at + 1..].chars().next().is_none_or(char::is_whitespace)
    })?;
    let key = text[..end.0].trim_end_matches(['"', '\'']);
    let key =
        key.rsplit(|character: char| !(character.is_alphanumeric() || "_-".contains(character))).next()?;
    (!key.is_empty()).then(|| key.to_owned())
}

/// The value that a piece of a line begins with.
fn value_after(text: &str) -> Option<String> {
    if text.starts_with(['[', '{']) {
        return Some(text.chars().take(1).collect());
    }
    let quote = text.chars().next().filter(|character| "\"'".contains(*character));
    let value = match quote {
        Some(quote) => text[1..].split(quote).next().unwrap_or_default(),
        None => text
            .split([',', ']', '}'])
            .next()
            .unwrap_or_default()
            .split(" #")
            .next()
            .unwrap_or_default()
            .trim(),
    };
    let short: String = value.chars().take(LONGEST_QUOTE).collect();
    let dots = if short.len() < value.len() { "..." } else { "" };
    (!short.is_empty() && !short.starts_with('#')).then(|| short + dots)
}
