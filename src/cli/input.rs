//! Reading files, and telling what kind of document each is.

use super::exit::Failure;
use crate::cluster::SourceText;
use crate::model::Instance;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;

/// The kinds of documents that migopt reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An instance, or anything that is nothing else.
    Instance,
    /// A bare solution.
    Solution,
    /// A result of `migopt solve`.
    Result,
}

impl Kind {
    /// What a document looks like by its fields.
    pub fn of(source: &SourceText) -> Kind {
        #[derive(Deserialize)]
        struct Fields {
            placement: Option<IgnoredAny>,
            solver_version: Option<IgnoredAny>,
        }
        match source.parse::<Fields>() {
            Ok(Fields { solver_version: Some(_), .. }) => Kind::Result,
            Ok(Fields { placement: Some(_), .. }) => Kind::Solution,
            _ => Kind::Instance,
        }
    }
}

/// Reads and validates an instance file.
pub fn read_instance(path: &Path) -> Result<Instance, Failure> {
    let source = SourceText::read(path)?;
    Instance::parse(source.clone()).map_err(|error| match Kind::of(&source) {
        Kind::Instance => error.into(),
        Kind::Solution => {
            source.error("this is a solution, not an instance. Give the instance that it solves.").into()
        }
        Kind::Result => source
            .error("this is a result of `migopt solve`, not an instance. Give the instance that it answers.")
            .into(),
    })
}
