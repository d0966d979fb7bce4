//! Writing answers: to standard output, and to files that are complete or absent.

use super::exit::Failure;
use super::format::Format;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Prints text to standard output. A closed pipe is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Internal(format!("standard output cannot be written: {error}"))),
    }
}

/// A document in the given format; text is the caller's own.
pub fn serialise<T: Serialize>(document: &T, format: Format) -> Result<String, Failure> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::Internal(format!("the result cannot be written: {error}"));
    match format {
        Format::Yaml => serde_yaml::to_string(document).map_err(|error| failed(&error)),
        Format::Json | Format::Text => {
            let text = serde_json::to_string_pretty(document).map_err(|error| failed(&error))?;
            Ok(text + "\n")
        }
    }
}

/// The format that a file's ending asks for.
pub fn format_of(path: &Path) -> Format {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("yaml" | "yml") => Format::Yaml,
        _ => Format::Json,
    }
}

/// A file to be written at the end of long work. That it can be written is checked at the beginning; it appears, or
/// replaces an older one, only when it is complete.
pub struct FutureFile {
    path: PathBuf,
    /// Where the text is written first; nowhere for a device or pipe, which cannot be replaced.
    draft: Option<PathBuf>,
}

impl FutureFile {
    /// Checks that the file can be written, and leaves no trace of it.
    pub fn prepare(path: &Path) -> Result<Self, Failure> {
        let refuse = |error: std::io::Error| {
            Failure::Input(format!(
                "{}: cannot be written: {error}. Name a file in a folder that exists and that you may write to.",
                path.display()
            ))
        };
        if path == Path::new("-") {
            return Err(refuse(std::io::Error::other(
                "it is no file name (`--format` chooses what is printed)",
            )));
        }
        if path.is_dir() {
            return Err(refuse(std::io::Error::other("it is a folder")));
        }
        if path.exists() && !path.is_file() {
            return Ok(FutureFile { path: path.to_owned(), draft: None });
        }
        if path.is_file() {
            std::fs::OpenOptions::new().append(true).open(path).map_err(refuse)?;
        }
        let name = path.file_name().ok_or_else(|| refuse(std::io::Error::other("it has no file name")))?;
        let mut draft_name = std::ffi::OsString::from(".");
        draft_name.push(name);
        draft_name.push(format!(".{}.part", std::process::id()));
        let draft = path.with_file_name(draft_name);
        std::fs::File::create(&draft).and_then(|_| std::fs::remove_file(&draft)).map_err(refuse)?;
        Ok(FutureFile { path: path.to_owned(), draft: Some(draft) })
    }

    /// Writes the file.
    pub fn write(self, text: &str) -> Result<(), Failure> {
        let written = match &self.draft {
            None => std::fs::write(&self.path, text),
            Some(draft) => std::fs::write(draft, text)
                .and_then(|()| std::fs::rename(draft, &self.path))
                .inspect_err(|_| drop(std::fs::remove_file(draft))),
        };
        written.map_err(|error| {
            Failure::Internal(format!("{}: cannot be written: {error}.", self.path.display()))
        })
    }
}
