//! The text of an input file, and errors that point into it.

use serde_yaml::Location as YamlLocation;
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

impl InputError {
    /// The same complaint at another place; as it is if the parser does not know that place.
    pub(super) fn moved_to(self, location: YamlLocation) -> Self {
        if location.line() == 0 {
            return self;
        }
        let column = Some(location.column()).filter(|&column| column > 0);
        InputError { line: Some(location.line()), column, ..self }
    }
}

/// Messages repeat names from the file, in which there may be line breaks and codes that would upset a terminal.
fn one_paragraph(message: &str) -> String {
    if !message.contains(char::is_control) {
        return message.to_owned();
    }
    message.split(char::is_control).filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
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

/// What follows `key:` in a line of YAML or JSON, if the line has that key.
fn after_key<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    if line.trim_start().starts_with('#') {
        return None;
    }
    line.match_indices(key).find_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.strip_prefix(':').filter(|_| before.is_none_or(|character| " {,-\"'".contains(character)))
    })
}

/// Whether a line of YAML or JSON gives a field this value.
fn has_value(line: &str, field: &str, value: &str) -> bool {
    let mut rest = line;
    while let Some(after) = after_key(rest, field) {
        let found = after.trim_start().trim_start_matches(['"', '\'']);
        let end = found.strip_prefix(value).map(|end| end.chars().next());
        if end.is_some_and(|end| end.is_none_or(|end| end.is_whitespace() || ",]}\"'".contains(end))) {
            return true;
        }
        rest = after;
    }
    false
}

/// Braces opened less braces closed; braces in quotes are rare and only cost a line number.
fn depth_change(line: &str) -> isize {
    line.chars().map(|character| isize::from(character == '{') - isize::from(character == '}')).sum()
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file. Check the path.".to_owned(),
        ErrorKind::IsADirectory => "this is a folder. Name one file in it.".to_owned(),
        ErrorKind::PermissionDenied => {
            format!("reading is not permitted. Allow it, as with `chmod +r {}`.", path.display())
        }
        _ => format!("the file cannot be read: {error}. Copy it to another place and try again."),
    }
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
        let bytes = bytes.map_err(|error| source.error(unreadable(path, &error)))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count() as u64;
            let message = "this is not UTF-8 text. Instances, solutions and traces are text in UTF-8; convert the file.";
            InputError { line: Some(line), ..source.error(message) }
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
        InputError {
            file: self.name.clone(),
            line: None,
            column: None,
            message: one_paragraph(&message.into()),
        }
    }

    /// An error about the entry at a location that the parser gave; with a field, at that field's line.
    pub fn error_at(
        &self,
        entry: YamlLocation,
        field: Option<&str>,
        message: impl Into<String>,
    ) -> InputError {
        let line = field.and_then(|field| self.line_with(entry, |line| after_key(line, field).is_some()));
        self.error_at_line(line.or(Some(entry.line()).filter(|&line| line > 0)), message)
    }

    /// An error about a field of the entry that has this value, or of an entry below it.
    pub fn error_at_value(
        &self,
        entry: YamlLocation,
        field: &str,
        value: &str,
        message: impl Into<String>,
    ) -> InputError {
        match self.line_with(entry, |line| has_value(line, field, value)) {
            Some(line) => self.error_at_line(Some(line), message),
            None => self.error_at(entry, Some(field), message),
        }
    }

    /// An error about a key below a field of the entry at a location that the parser gave.
    pub(crate) fn error_in_field(
        &self,
        entry: YamlLocation,
        field: &str,
        key: &str,
        message: impl Into<String>,
    ) -> InputError {
        let mut is_below = false;
        let line = self.line_with(entry, |line| {
            is_below = is_below || after_key(line, field).is_some();
            is_below && after_key(line, key).is_some()
        });
        match line {
            Some(line) => self.error_at_line(Some(line), message),
            None => self.error_at(entry, Some(field), message),
        }
    }

    /// An error about the first entry of the file of which a field has this value.
    pub fn error_at_entry(&self, field: &str, value: &str, message: impl Into<String>) -> InputError {
        let mut lines = (1..).zip(self.text.lines());
        let found = lines.find(|(_, line)| has_value(line, field, value));
        self.error_at_line(found.map(|(number, _)| number), message)
    }

    /// An error at a nested key of the file, looked up by its path of keys from the top.
    pub fn error_at_key(&self, path: &[&str], message: impl Into<String>) -> InputError {
        let mut line = 0;
        for (depth, key) in path.iter().enumerate() {
            let at_top = |text: &str| text.starts_with([' ', '\t']);
            let find = |indented: bool| {
                let mut lines = self.text.lines().enumerate().skip(line);
                lines.find(|(_, text)| (indented || !at_top(text)) && after_key(text, key).is_some())
            };
            match if depth == 0 { find(false).or_else(|| find(true)) } else { find(true) } {
                Some((index, _)) => line = index,
                None => return self.error(message),
            }
        }
        self.error_at_line(Some(line as u64 + 1), message)
    }

    /// An error at a line from 1, where it is known.
    pub(crate) fn error_at_line(&self, line: Option<u64>, message: impl Into<String>) -> InputError {
        InputError { line, ..self.error(message) }
    }

    /// The first line of the entry at `start` of which the condition is true.
    fn line_with(&self, start: YamlLocation, mut condition: impl FnMut(&str) -> bool) -> Option<u64> {
        let first = usize::try_from(start.line()).ok()?.checked_sub(1)?;
        let column = usize::try_from(start.column()).ok()?.checked_sub(1)?;
        let mut lines = (first..).zip(self.text.lines().skip(first));
        let (_, head) = lines.next()?;
        let head = head.char_indices().nth(column).map_or(head, |(at, _)| &head[at..]);
        let mut open = depth_change(head);
        let in_braces = head.starts_with('{') && open > 0;
        let rest = lines.take_while(|(_, line)| {
            if in_braces {
                let inside = open > 0;
                open += depth_change(line);
                return inside;
            }
            let indentation = line.len() - line.trim_start_matches(' ').len();
            line.trim().is_empty() || line.trim_start().starts_with('#') || indentation >= column
        });
        let is_alone = head.starts_with('{') && !in_braces;
        std::iter::once((first, head))
            .chain(rest.take_while(|_| !is_alone))
            .find(|(_, line)| condition(line))
            .map(|(index, _)| index as u64 + 1)
    }

    /// Whether there is nothing but blanks and comments.
    pub(super) fn has_no_content(&self) -> bool {
        self.text
            .lines()
            .map(|line| line.trim_start_matches('\u{feff}').trim())
            .all(|line| line.is_empty() || line.starts_with('#'))
    }
}
