//! An instance under a model, as a sweep has it.

use models::{Instance, Model};
use std::path::PathBuf;

/// An instance of a sweep.
pub struct Case {
    /// The model under which it is asked.
    pub model: &'static dyn Model,
    /// The instance.
    pub instance: Instance,
    /// Its file.
    pub file: PathBuf,
    /// The file as rows name it.
    pub label: String,
    /// Digest of the file as the sweep wrote it, if it did.
    pub written: Option<String>,
}
