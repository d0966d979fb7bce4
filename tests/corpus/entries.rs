//! What the folder of a model holds: instances in files of their own, and the lines of its corpus.

use ground::SourceText;
use models::{Instance, Model};
use std::path::{Path, PathBuf};
use support::instances::{all_shipped, read};

/// An instance with its truth.
pub struct Entry {
    /// Name of the file, or of the instance for a line of the corpus.
    pub name: String,
    pub instance: Instance,
    /// Whether it is a line of the corpus.
    pub is_line: bool,
}

/// The folder of a model's instances.
pub fn folder(model: &'static dyn Model) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instances").join(model.name())
}

/// The instances that have files of their own, by name.
pub fn files(model: &'static dyn Model) -> Vec<Entry> {
    let entry = |path: &PathBuf| Entry {
        name: path.file_name().unwrap().to_str().unwrap().to_owned(),
        instance: read(path),
        is_line: false,
    };
    all_shipped(model.name()).iter().map(entry).collect()
}

/// The lines of a corpus.
pub fn lines(corpus: &str) -> Vec<Entry> {
    let entry = |(number, line): (usize, &str)| {
        let source = SourceText::new(format!("line {} of the corpus", number + 1), line);
        let instance = Instance::parse(source).unwrap_or_else(|error| panic!("{error}\n{line}"));
        Entry { name: instance.name.clone(), instance, is_line: true }
    };
    corpus.lines().enumerate().map(entry).collect()
}

/// Where the corpus of a model is.
pub fn corpus_file(model: &'static dyn Model) -> PathBuf {
    folder(model).join("corpus.jsonl")
}

/// The corpus of a model as it is stored; empty where there is none yet.
pub fn stored_corpus(model: &'static dyn Model) -> String {
    let file = corpus_file(model);
    if file.exists() { std::fs::read_to_string(file).unwrap() } else { String::new() }
}
