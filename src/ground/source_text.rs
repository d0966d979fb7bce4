//! The text of an input file, and errors that point into it.

use super::document::{At, Document, Fault, Faults, Lines, Misplaced, NodeId, Place, Tree};
use super::input_error::InputError;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// An input file in memory; copies share it.
#[derive(Clone, Debug)]
pub struct SourceText(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    name: String,
    text: String,
    /// Made when it is first needed.
    tree: OnceLock<Result<Tree, Fault>>,
    /// Made for the first complaint.
    lines: OnceLock<Lines>,
}

impl SourceText {
    /// A text under a name for messages.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (tree, lines) = (OnceLock::new(), OnceLock::new());
        SourceText(Arc::new(Shared { name: name.into(), text: text.into(), tree, lines }))
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
        let wrong = |message: String| SourceText::new(name.clone(), "").error(message);
        let bytes = bytes.map_err(|error| wrong(unreadable(path, &error)))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count() as u64;
            let message = "this is not UTF-8 text. Instances, solutions and traces are text in UTF-8; convert the file.";
            InputError { line: Some(line), ..wrong(message.to_owned()) }
        })?;
        Ok(SourceText::new(name, text))
    }

    /// The same text without the memory that its tree takes; the next complaint reads it again.
    pub fn without_tree(self) -> Self {
        match Arc::try_unwrap(self.0) {
            Ok(shared) => SourceText(Arc::new(Shared { tree: OnceLock::new(), ..shared })),
            Err(shared) => SourceText(shared),
        }
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The text as a document in YAML or JSON, which is read once.
    ///
    /// # Errors
    /// When it is neither.
    pub fn document(&self) -> Result<Document<'_>, InputError> {
        match self.tree() {
            Ok(tree) => Ok(Document::new(self.text(), tree)),
            Err(fault) => Err(self.told(fault.clone())),
        }
    }

    /// Reads the text as YAML or JSON into `T`.
    ///
    /// # Errors
    /// With everything that is wrong: line, column and the rule broken; unknown fields come with the known ones and a guess.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, InputError> {
        self.parse_with(&[])
    }

    /// Reads the text as YAML or JSON into `T`, and tells of misplaced fields where they belong.
    ///
    /// # Errors
    /// As for [`parse`](SourceText::parse).
    pub fn parse_with<T: DeserializeOwned>(&self, misplaced: &[Misplaced]) -> Result<T, InputError> {
        self.document()?.read_with(misplaced).map_err(|Faults { told, untold }| {
            let mut told = told.into_iter().map(|fault| self.told(fault));
            let first = told.next().unwrap_or_default();
            InputError { others: told.collect(), untold, ..first }
        })
    }

    /// An error about the file as a whole.
    pub fn error(&self, message: impl Into<String>) -> InputError {
        let message = one_paragraph(&message.into());
        InputError { file: self.name().to_owned(), message, ..InputError::default() }
    }

    /// An error about the entry that stands there; with a field, about the value of that field of it, or of an entry below.
    pub fn error_at(&self, entry: At, field: Option<&str>, message: impl Into<String>) -> InputError {
        self.error_in(entry, message, |document, entry| {
            let field = field.and_then(|name| document.field_within(entry, name));
            field.map(|(key, value)| document.place_of_value(key, value))
        })
    }

    /// An error about a field of the entry that has this value, or of an entry below it.
    pub fn error_at_value(
        &self,
        entry: At,
        field: &str,
        value: &str,
        message: impl Into<String>,
    ) -> InputError {
        self.error_in(entry, message, |document, entry| {
            let found = document.field_with_value(entry, field, value);
            let found = found.or_else(|| document.field_within(entry, field));
            found.map(|(key, value)| document.place_of_value(key, value))
        })
    }

    /// An error about a key below a field of the entry that stands there.
    pub fn error_in_field(
        &self,
        entry: At,
        field: &str,
        key: &str,
        message: impl Into<String>,
    ) -> InputError {
        self.error_in(entry, message, |document, entry| {
            let (field, value) = document.field_within(entry, field)?;
            Some(document.field_within(value, key).map_or(field, |(key, _)| key))
        })
    }

    /// An error about the first entry of the file of which a field has this value.
    pub fn error_at_entry(&self, field: &str, value: &str, message: impl Into<String>) -> InputError {
        let found = self.known_document().and_then(|document| {
            let (key, value) = document.field_with_value(NodeId::ROOT, field, value)?;
            Some(document.start(document.place_of_value(key, value)))
        });
        self.error_at_offset(found, message)
    }

    /// An error at a nested key of the file, looked up by its path of keys from the top; at the last that there is.
    pub fn error_at_key(&self, path: &[&str], message: impl Into<String>) -> InputError {
        let found = self.known_document().and_then(|document| {
            let mut entry = NodeId::ROOT;
            let mut place = None;
            for (depth, name) in path.iter().enumerate() {
                // Below the top the key may be that of an item of a list.
                let found =
                    if depth == 0 { document.field(entry, name) } else { document.field_within(entry, name) };
                let Some((key, value)) = found else { break };
                place = Some(document.start(document.place_of_value(key, value)));
                entry = value;
            }
            place
        });
        self.error_at_offset(found, message)
    }

    /// An error at a line from 1, where it is known.
    pub fn error_at_line(&self, line: Option<u64>, message: impl Into<String>) -> InputError {
        InputError { line, ..self.error(message) }
    }

    /// The line of an entry; 0 of one that was not read from this text.
    pub fn line_of(&self, entry: At) -> u64 {
        let start = self.known_document().zip(entry).map(|(document, node)| document.start(node));
        start.map_or(0, |start| self.lines().place(self.text(), start).line)
    }

    fn tree(&self) -> Result<&Tree, &Fault> {
        self.0.tree.get_or_init(|| Tree::read(self.name(), self.text())).as_ref()
    }

    fn lines(&self) -> &Lines {
        self.0.lines.get_or_init(|| Lines::of(self.text()))
    }

    fn known_document(&self) -> Option<Document<'_>> {
        Some(Document::new(self.text(), self.tree().ok()?))
    }

    /// An error about something in an entry; about the entry where it is not found. What an alias repeats is told at the alias.
    fn error_in(
        &self,
        entry: At,
        message: impl Into<String>,
        find: impl FnOnce(&Document<'_>, NodeId) -> Option<NodeId>,
    ) -> InputError {
        let Some((document, entry)) = self.known_document().zip(entry) else { return self.error(message) };
        let found = find(&document, entry);
        let is_repeated = document.resolve(entry) != entry;
        let place = found.filter(|_| !is_repeated).unwrap_or(entry);
        let mut message = message.into();
        if let Some(found) = found.filter(|_| is_repeated) {
            let line = self.lines().place(self.text(), document.start(found)).line;
            message += &format!(" The alias repeats line {line}.");
        }
        self.error_at_offset(Some(document.start(place)), message)
    }

    fn told(&self, fault: Fault) -> InputError {
        self.error_at_offset(Some(fault.at), fault.message)
    }

    fn error_at_offset(&self, offset: Option<usize>, message: impl Into<String>) -> InputError {
        let error = self.error(message);
        let Some(offset) = offset else { return error };
        let Place { line, column } = self.lines().place(self.text(), offset);
        let has_text = !self.text().trim().is_empty();
        let excerpt = has_text.then(|| self.lines().excerpt(self.text(), offset).into());
        InputError { line: Some(line), column: Some(column), excerpt, ..error }
    }
}

/// Messages repeat names from the file, in which there may be line breaks and codes that would upset a terminal.
fn one_paragraph(message: &str) -> String {
    if !message.contains(char::is_control) {
        return message.to_owned();
    }
    message.split(char::is_control).filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file. Check the path.".to_owned(),
        ErrorKind::IsADirectory => "this is a folder. Name one file in it.".to_owned(),
        ErrorKind::PermissionDenied => {
            format!("reading is not permitted. Make it readable, as with `chmod +r {}`.", path.display())
        }
        _ => format!("the file cannot be read: {error}. Copy it to another place and try again."),
    }
}
