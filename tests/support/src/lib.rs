//! What several of the crate's test binaries use.

pub mod certificates;
pub mod cli;
pub mod explanations;
pub mod in_other_words;
pub mod instances;
pub mod migrator;
pub mod mps;
pub mod page;
pub mod programs;
pub mod sharing;
pub mod siavashi;
pub mod tried;
pub mod wpm;

use ground::SourceText;
use mig::{Board, Lookup, catalogue};
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Arc;

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("this crate is in tests/support")
}

/// A board of the catalogue.
pub fn board(name: &str) -> Arc<Board> {
    match catalogue().find(name) {
        Lookup::Found(board) => board,
        other => panic!("{name}: {other:?}"),
    }
}

/// What a text in YAML or JSON holds.
///
/// # Panics
/// When it is neither, or no `T`.
pub fn from_yaml<T: DeserializeOwned>(text: &str) -> T {
    SourceText::new("yaml", text).parse().unwrap_or_else(|error| panic!("{error}"))
}
