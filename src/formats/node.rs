//! Walking through a document in JSON or YAML of which only some fields matter.

use super::place::Place;
use ground::document::{Document, Form, NodeId};
use ground::{InputError, SourceText};

/// A value of a document.
#[derive(Clone, Copy)]
pub(crate) struct Node<'t> {
    source: &'t SourceText,
    document: Document<'t>,
    id: NodeId,
}

impl<'t> Node<'t> {
    /// The outermost value.
    pub fn root(source: &'t SourceText) -> Result<Self, InputError> {
        Ok(Node { source, document: source.document()?, id: NodeId::ROOT })
    }

    pub fn place(self) -> Place {
        Place::Value(self.id)
    }

    pub fn error(self, message: impl Into<String>) -> InputError {
        self.place().error(self.source, message)
    }

    fn with(self, id: NodeId) -> Self {
        Node { id, ..self }
    }

    pub fn is_entry(self) -> bool {
        self.document.form(self.id) == Form::Entry
    }

    pub fn is_list(self) -> bool {
        self.document.form(self.id) == Form::List
    }

    /// A field that is not null.
    pub fn get(self, name: &str) -> Option<Node<'t>> {
        let (_, value) = self.document.field(self.id, name)?;
        (!self.document.is_null(value)).then(|| self.with(value))
    }

    /// A field of a field of a field.
    pub fn at(self, path: &[&str]) -> Option<Node<'t>> {
        path.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The items of a list; none of other values.
    pub fn items(self) -> impl Iterator<Item = Node<'t>> {
        self.document.items(self.id).map(move |id| self.with(id))
    }

    /// The items of a list that a field holds; none where there is no such field.
    pub fn list(self, name: &str) -> Result<Vec<Node<'t>>, InputError> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(list) if list.is_list() => Ok(list.items().collect()),
            Some(other) => Err(other.error(format!("`{name}` must be a list. {FOREIGN}"))),
        }
    }

    /// Names and values of an entry.
    pub fn fields(self) -> impl Iterator<Item = (&'t str, Node<'t>)> {
        self.document
            .fields(self.id)
            .filter_map(move |(key, value)| Some((self.document.scalar_text(key)?, self.with(value))))
    }

    /// A single value as it is written.
    pub fn text(self) -> Option<&'t str> {
        self.document.scalar_text(self.id)
    }

    /// A field that is a single value.
    pub fn text_of(self, name: &str) -> Option<&'t str> {
        self.get(name)?.text()
    }

    /// A field that must be there.
    pub fn needed(self, name: &str) -> Result<Node<'t>, InputError> {
        self.get(name).ok_or_else(|| self.error(format!("the field `{name}` is missing. {FOREIGN}")))
    }

    /// A field that must be there and be a single value.
    pub fn needed_text(self, name: &str) -> Result<&'t str, InputError> {
        let value = self.needed(name)?;
        value.text().ok_or_else(|| value.error(format!("`{name}` must be a single value. {FOREIGN}")))
    }

    /// A field that must be there and be a whole number.
    pub fn needed_number<N: std::str::FromStr>(self, name: &str) -> Result<N, InputError> {
        let value = self.needed(name)?;
        let number = value.text().and_then(|text| text.parse().ok());
        number.ok_or_else(|| value.error(format!("`{name}` must be a whole number of at least 0. {FOREIGN}")))
    }

    /// A field that is a whole number where it is there.
    pub fn number<N: std::str::FromStr>(self, name: &str) -> Result<Option<N>, InputError> {
        self.get(name).map(|_| self.needed_number(name)).transpose()
    }

    /// All of the value in one line, fields in their order: for comparison.
    pub fn spelled(self, out: &mut String) {
        if let Some(text) = self.text() {
            out.push_str(text);
            out.push('\u{1f}');
        } else if self.is_list() {
            out.push('[');
            self.items().for_each(|item| item.spelled(out));
            out.push(']');
        } else {
            out.push('{');
            for (name, value) in self.fields() {
                out.push_str(name);
                out.push('\u{1e}');
                value.spelled(out);
            }
            out.push('}');
        }
    }
}

/// What a document is that lacks what it should have.
const FOREIGN: &str = "The file is not as its tool writes it, or was cut off or edited; write it again.";
