//! Writing answers: to standard output, and to files that are complete or absent.

use super::exit::Failure;
use super::files::FutureFile;
use super::format::Format;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

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

/// What an answer says, in the format in which it is printed or written.
pub struct Content<'a>(Box<dyn Fn(Format) -> Result<String, Failure> + 'a>);

impl<'a> Content<'a> {
    /// A document in any format; `text` is for readers.
    pub fn answer<T: Serialize>(document: &'a T, text: impl Fn() -> String + 'a) -> Self {
        Content(Box::new(move |format| match format {
            Format::Text => Ok(text()),
            Format::Json | Format::Yaml => serialise(document, format),
        }))
    }

    /// A document for programs alone.
    pub fn document<T: Serialize>(document: &'a T) -> Self {
        Content(Box::new(move |format| serialise(document, format)))
    }

    /// A text that has one format, such as a drawing.
    pub fn text(text: impl Fn() -> String + 'a) -> Self {
        Content(Box::new(move |_| Ok(text())))
    }
}

/// Prints the answer, then writes the files that were asked for. One that cannot be written keeps neither the answer from the
/// screen nor the other files from the disk.
///
/// # Errors
/// What could not be printed or written, everything.
pub fn deliver<'a>(
    answer: &Content<'a>,
    printed: Printed,
    files: impl IntoIterator<Item = (Option<FutureFile>, Content<'a>)>,
) -> Result<(), Failure> {
    let shown = |format| (answer.0)(format).and_then(|text| print(&text));
    let mut failures = Vec::new();
    if let Some(format) = printed.asked() {
        failures.extend(shown(format).err());
    }
    let mut lost = false;
    for (file, content) in files {
        let Some(file) = file else { continue };
        let written = (content.0)(format_of(file.path())).and_then(|text| file.write(&text));
        lost |= written.is_err();
        failures.extend(written.err());
    }
    if lost && printed.asked().is_none() {
        // Silence was asked for by someone who expected to find the answer in a file.
        failures.extend(shown(printed.format).err());
    }
    Failure::all(failures)
}

/// What the command line says of printing.
#[derive(Clone, Copy)]
pub struct Printed {
    /// In which format.
    pub format: Format,
    /// Whether nothing is printed for readers.
    pub quiet: bool,
}

impl Printed {
    /// The format in which the answer is printed; none if it is not.
    pub fn asked(self) -> Option<Format> {
        (!self.quiet || self.format != Format::Text).then_some(self.format)
    }
}
