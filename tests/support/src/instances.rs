//! Instances: shipped ones and those of a text, and the problems that they pose.

use crate::root;
use ground::SourceText;
use models::{Instance, InstanceFile, Listed};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The instance of a text.
pub fn instance(text: impl Into<String>) -> Instance {
    let text = text.into();
    Instance::parse(SourceText::new("test.yaml", text.clone()))
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The instance of a generated file.
pub fn written(file: &InstanceFile) -> Instance {
    instance(serde_json::to_string(file).expect("an instance file is plain data"))
}

/// The instance of a file.
pub fn read(path: impl AsRef<Path>) -> Instance {
    let source = SourceText::read(path.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    Instance::parse(source).unwrap_or_else(|error| panic!("{error}"))
}

/// The problem that an instance poses.
pub fn posed<Wing: Listed<Problem: Clone>>(instance: &Instance) -> Wing::Problem {
    Arc::unwrap_or_clone(instance.problem::<Wing>().unwrap_or_else(|error| panic!("{error}")))
}

/// The problem that a text poses.
pub fn problem<Wing: Listed<Problem: Clone>>(text: impl Into<String>) -> Wing::Problem {
    posed::<Wing>(&instance(text))
}

/// The file of a shipped instance.
pub fn shipped(model: &str, name: &str) -> PathBuf {
    root().join("instances").join(model).join(format!("{name}.yaml"))
}

/// The files of all shipped instances of a model, in order.
pub fn all_shipped(model: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("instances").join(model)).expect("there are instances");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml")).collect();
    files.sort();
    files
}

/// The problems of all shipped instances of a model, with the names of their files.
pub fn all_problems<Wing: Listed<Problem: Clone>>() -> Vec<(String, Wing::Problem)> {
    let files = all_shipped(Wing::NAME).into_iter();
    files.map(|path| (path.display().to_string(), posed::<Wing>(&read(&path)))).collect()
}
