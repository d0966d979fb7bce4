//! The fixtures read, writing and reading turned round, and broken files.

mod broken;
mod fixtures;
mod round_trips;

use crate::{Contents, read};
use ground::SourceText;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances/operators/two-nodes")
}

/// The text of a fixture.
fn fixture(name: &str) -> SourceText {
    SourceText::read(&fixtures().join(name)).unwrap()
}

fn contents(text: &str) -> Contents {
    read(&SourceText::new("file", text)).unwrap().unwrap()
}
