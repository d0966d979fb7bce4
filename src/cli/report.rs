//! `migopt report`.

use super::arguments::ReportArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::output::{FutureFile, print};
use crate::bench::{ROWS_FILE, Record, read_rows};
use crate::report::SweepReport;
use std::path::{Component, Path, PathBuf};

/// What a report can be.
#[derive(Clone, Copy)]
enum Kind {
    Html,
    Markdown,
    Csv,
}

pub fn run(task: &ReportArguments) -> Result<u8, Failure> {
    let output = match &task.output {
        None => None,
        Some(path) => Some((path, kind_of(path)?, FutureFile::prepare(path)?)),
    };
    let rows = rows_of(&task.folder)?;
    let report = SweepReport::of(&rows);
    let name = name_of(&task.folder);
    let Some((path, kind, file)) = output else {
        print(&report.markdown(&name, &|_| None))?;
        return Ok(EXIT_PROVED);
    };
    let links = Links::new(&task.folder, path);
    let link = |row: &Record| links.to(&row.path);
    file.write(&match kind {
        Kind::Html => report.html(&name, &link),
        Kind::Markdown => report.markdown(&name, &link),
        Kind::Csv => report.csv(),
    })?;
    if !task.quiet {
        print(&format!("{}\n", path.display()))?;
    }
    Ok(EXIT_PROVED)
}

fn kind_of(path: &Path) -> Result<Kind, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "html" | "htm" => Ok(Kind::Html),
        "md" => Ok(Kind::Markdown),
        "csv" => Ok(Kind::Csv),
        _ => Err(Failure::Input(format!(
            "--output {}: the ending chooses what is written, and this one is not known. Use .html, .md or .csv.",
            path.display()
        ))),
    }
}

fn rows_of(folder: &Path) -> Result<Vec<Record>, Failure> {
    let shown = folder.display();
    if !folder.is_dir() {
        let what = if folder.exists() { "this is no folder" } else { "there is no such folder" };
        return Err(Failure::Input(format!(
            "{shown}: {what}. Name the folder of a sweep, which holds {ROWS_FILE}."
        )));
    }
    let path = folder.join(ROWS_FILE);
    let rows = read_rows(&path)?;
    if rows.is_empty() {
        return Err(Failure::Input(format!(
            "{}: no row is complete, so there is nothing to report. Run the sweep until its first row is written.",
            path.display()
        )));
    }
    Ok(rows)
}

/// The folder's own name, even if it was named as `.`.
fn name_of(folder: &Path) -> String {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    absolute.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Finds the way from a report to the instances.
struct Links {
    /// The sweep's folder.
    folder: PathBuf,
    /// The report's folder, absolute; none if it cannot be found.
    report: Option<PathBuf>,
}

impl Links {
    fn new(folder: &Path, report: &Path) -> Self {
        let parent =
            report.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Links { folder: folder.to_owned(), report: parent.canonicalize().ok() }
    }

    /// The reference to an instance's file, if that can be found. Rows name it below the sweep's folder, or as the
    /// command line did.
    fn to(&self, path: &str) -> Option<String> {
        let file = [self.folder.join(path), PathBuf::from(path)].into_iter().find(|file| file.is_file())?;
        let steps = way(self.report.as_ref()?, &file.canonicalize().ok()?)?;
        Some([vec![".".to_owned()], steps].concat().join("/"))
    }
}

/// The steps from an absolute folder to another, or to a file.
fn way(from: &Path, to: &Path) -> Option<Vec<String>> {
    let (from, to): (Vec<Component>, Vec<Component>) =
        (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[common..].iter().map(|_| Some("..".to_owned()));
    let down = to[common..].iter().map(|part| part.as_os_str().to_str().map(encoded));
    up.chain(down).collect()
}

/// A part of a path as a reference has it: everything but unreserved characters as `%` and two digits.
fn encoded(part: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.bytes().map(encode).collect()
}
