//! The rows of a sweep as a file: one [`Record`] as JSON per line.

use super::record::Record;
use ground::{InputError, SourceText};
use kit::SenseName;
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the file of rows in a sweep's folder.
pub const ROWS_FILE: &str = "rows.jsonl";
/// Name of the file of rows that earlier commands made and the last one did not ask for.
pub(super) const EARLIER_FILE: &str = "earlier-rows.jsonl";
/// What the names of the files begin with in which shards keep their rows until these are gathered.
pub(super) const ROWS_OF_SHARDS: &str = "rows-of-shard-";

/// A line of a file of rows.
pub(super) struct Line {
    /// The line without its break, as it is there.
    pub text: String,
    /// The row, or what is wrong with it.
    pub row: Result<Record, InputError>,
}

/// Reads the complete lines of a file of rows, whatever they hold; none if there is no file.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read_lines(path: &Path) -> Result<Vec<Line>, InputError> {
    let file = RowsFile(SourceText::new(path.display().to_string(), String::new()));
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|error| file.unreadable(&error))?,
    };
    let lines = complete(&bytes).map(|(number, line)| Line {
        text: String::from_utf8_lossy(line).trim_end_matches('\n').to_owned(),
        row: file.parse(number, line),
    });
    Ok(lines.collect())
}

/// The lines that end in a line break, with their numbers.
fn complete(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    (1..).zip(bytes[..end].split_inclusive(|&byte| byte == b'\n'))
}

/// Reads the rows of a sweep in the order of the file.
///
/// A row counts once its line break is written: what follows the last line break was torn off by an interruption and is
/// ignored, whatever it holds. What appends to the file cuts that rest off first.
///
/// # Errors
/// When the file cannot be read, a line is no row, two rows are about the same instance, model, method and seed, or
/// two rows of one instance and model answer different questions. Each error names file and line.
pub fn read_rows(path: &Path) -> Result<Vec<Record>, InputError> {
    let file = RowsFile(SourceText::new(path.display().to_string(), String::new()));
    let bytes = std::fs::read(path).map_err(|error| file.unreadable(&error))?;
    let mut rows = Vec::new();
    let mut seen = Seen::default();
    for (number, line) in complete(&bytes) {
        let row = file.parse(number, line)?;
        seen.admit(&row, number).map_err(|message| file.error_at(number, message))?;
        rows.push(row);
    }
    Ok(rows)
}

/// Words for what is wrong with a file of rows.
struct RowsFile(SourceText);

impl RowsFile {
    fn parse(&self, number: u64, line: &[u8]) -> Result<Record, InputError> {
        let row: Record = serde_json::from_slice(line).map_err(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            let message = format!(
                "this line is not a row of a sweep: {what}. Delete the line (its run will be missing), or name the folder \
                 of another sweep."
            );
            InputError { column: Some(error.column() as u64), ..self.error_at(number, message) }
        })?;
        if row.seconds < 0.0 {
            let message =
                format!("`seconds` is {}, but must not be negative. Correct or delete it.", row.seconds);
            return Err(self.error_at(number, message));
        }
        Ok(row)
    }

    fn error_at(&self, number: u64, message: String) -> InputError {
        InputError { line: Some(number), ..self.0.error(message) }
    }

    fn unreadable(&self, error: &std::io::Error) -> InputError {
        use std::io::ErrorKind;
        self.0.error(match error.kind() {
            ErrorKind::NotFound => format!(
                "there is no such file. Name the folder of a sweep, which holds the sweep's rows as {ROWS_FILE}."
            ),
            ErrorKind::IsADirectory => "this is a folder, not a file of rows.".to_owned(),
            _ => {
                format!("the file cannot be read: {error}. Make it readable, or copy it to another place.")
            }
        })
    }
}

/// What earlier lines said.
#[derive(Default)]
struct Seen {
    /// The line of each instance, model, method and seed.
    keys: BTreeMap<(String, String, String, Option<u64>), u64>,
    /// The question of each instance under each model.
    questions: BTreeMap<(String, String), Question>,
}

/// What rows of one instance and model must agree in, and the line that said so first.
struct Question {
    name: String,
    gpus: u64,
    line: u64,
    stages: Vec<(String, SenseName)>,
    stages_line: u64,
}

impl Seen {
    fn admit(&mut self, row: &Record, line: u64) -> Result<(), String> {
        let key = (row.fingerprint.clone(), row.model.clone(), row.method.clone(), row.seed);
        if let Some(earlier) = self.keys.insert(key, line) {
            return Err(format!(
                "line {earlier} already has the row of instance {:?}, method {:?} and {}. Delete one of the two lines.",
                row.instance,
                row.method,
                row.seed.map_or("no seed".to_owned(), |seed| format!("seed {seed}"))
            ));
        }
        let stages: Vec<_> = row.stages.iter().map(|stage| (stage.name.clone(), stage.sense)).collect();
        let asked = (row.fingerprint.clone(), row.model.clone());
        let question = self.questions.entry(asked).or_insert_with(|| Question {
            name: row.question.clone(),
            gpus: row.cluster_gpus,
            line,
            stages: Vec::new(),
            stages_line: line,
        });
        let same = question.name == row.question && question.gpus == row.cluster_gpus;
        let differs = |earlier: u64, what: &str| {
            format!(
                "instance {:?} has the same fingerprint as in line {earlier}, but {what}: such rows cannot be compared. \
                 Delete one of them, or keep the sweeps in separate folders.",
                row.instance
            )
        };
        if !same {
            return Err(differs(question.line, "another question or number of GPUs"));
        }
        if question.stages.is_empty() {
            (question.stages, question.stages_line) = (stages, line);
        } else if !stages.is_empty() && question.stages != stages {
            return Err(differs(question.stages_line, "other objectives (`stages`)"));
        }
        Ok(())
    }
}
