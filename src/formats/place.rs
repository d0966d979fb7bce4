//! Where a record stands in its file.

use ground::document::NodeId;
use ground::{InputError, SourceText};

/// Where a record stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line from 1.
    Line(u32),
    /// A value of a document in JSON or YAML.
    Value(NodeId),
}

impl Place {
    /// The line at a position from 0.
    pub(crate) fn line_at(position: usize) -> Self {
        Place::Line(u32::try_from(position + 1).unwrap_or(u32::MAX))
    }

    /// An error about what stands there.
    pub fn error(self, source: &SourceText, message: impl Into<String>) -> InputError {
        match self {
            Place::Line(line) => source.error_at_line(Some(line.into()), message),
            Place::Value(node) => source.error_at(Some(node), None, message),
        }
    }

    /// The line from 1.
    pub fn line(self, source: &SourceText) -> u64 {
        match self {
            Place::Line(line) => line.into(),
            Place::Value(node) => source.line_of(Some(node)),
        }
    }
}

/// A record and where it stands.
#[derive(Clone, Debug)]
pub struct Record<T> {
    /// The record.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

/// The records alone.
pub fn values<T>(records: Vec<Record<T>>) -> Vec<T> {
    records.into_iter().map(|record| record.value).collect()
}
