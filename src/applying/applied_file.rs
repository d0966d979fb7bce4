//! A file of a plan.

/// A file that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedFile {
    /// Its name, without a folder.
    pub name: String,
    /// What it holds.
    pub text: String,
    /// Whether it is a program.
    pub is_script: bool,
}

impl AppliedFile {
    /// One to be read.
    pub fn text(name: impl Into<String>, text: String) -> Self {
        AppliedFile { name: name.into(), text, is_script: false }
    }

    /// A program.
    pub fn script(name: impl Into<String>, text: String) -> Self {
        AppliedFile { name: name.into(), text, is_script: true }
    }
}
