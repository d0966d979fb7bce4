//! Writing answers: to standard output, and to files that are complete or absent.

use super::exit::Failure;
use super::files::{BUFFER, FutureFile};
use super::format::Format;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Prints text to standard output. A closed pipe is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    print_with(|stdout| stdout.write_all(text.as_bytes()))
}

/// Prints to standard output piece by piece. A closed pipe is no failure.
fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut stdout = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What waits in the buffer has no reader any more.
            drop(stdout.into_parts());
            Ok(())
        }
        Err(error) => Err(Failure::Internal(format!("standard output cannot be written: {error}"))),
    }
}

/// A document as text in the given format.
pub fn serialise<T: Serialize>(document: &T, format: Format) -> Result<String, Failure> {
    let mut text = Vec::new();
    write_document(document, format, &mut text)
        .map_err(|error| Failure::Internal(format!("the result cannot be written: {error}")))?;
    Ok(String::from_utf8(text).expect("documents are written as UTF-8"))
}

/// Writes a document in the given format; text is the caller's own.
fn write_document<T: Serialize>(document: &T, format: Format, mut out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Yaml => serde_yaml::to_io_writer(&mut out, document).map_err(io::Error::other),
        Format::Json | Format::Text => {
            serde_json::to_writer_pretty(&mut out, document)?;
            out.write_all(b"\n")
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

/// Writes what an answer says in a format.
type Writing<'a> = dyn Fn(Format, &mut dyn Write) -> io::Result<()> + 'a;

/// What an answer says, in the format in which it is printed or written: piece by piece, as the answer for a million GPUs is longer
/// than all that was needed to find it.
pub struct Content<'a>(Box<Writing<'a>>);

impl<'a> Content<'a> {
    /// A document in any format; `text` is for readers.
    pub fn answer<T: Serialize>(document: &'a T, text: impl Fn() -> String + 'a) -> Self {
        Content(Box::new(move |format, out| match format {
            Format::Text => out.write_all(text().as_bytes()),
            Format::Json | Format::Yaml => write_document(document, format, out),
        }))
    }

    /// A document for programs alone.
    pub fn document<T: Serialize>(document: &'a T) -> Self {
        Content(Box::new(move |format, out| write_document(document, format, out)))
    }

    /// A text that has one format, such as a drawing.
    pub fn text(text: impl Fn() -> String + 'a) -> Self {
        Content(Box::new(move |_, out| out.write_all(text().as_bytes())))
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
    let shown = |format| print_with(|stdout| (answer.0)(format, stdout));
    let mut failures = Vec::new();
    if let Some(format) = printed.asked() {
        failures.extend(shown(format).err());
    }
    let mut lost = false;
    for (file, content) in files {
        let Some(file) = file else { continue };
        let format = format_of(file.path());
        let written = file.write_with(|out| (content.0)(format, out));
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
