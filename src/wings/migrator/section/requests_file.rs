//! Series of requests in files of their own.

use super::limits::{rule_broken, wrong_length};
use super::{RequestsFile, Section};
use csv::{ReaderBuilder, StringRecord, Trim};
use ground::{Amount, InputError, SourceText, did_you_mean};
use itertools::Itertools;
use std::path::Path;

/// Replaces every `requests_from` by the series that the file holds.
///
/// # Errors
/// When a file cannot be read, is shorter or longer than the window, or holds anything but numbers; the message names the
/// line of that file where it is about one.
pub fn read_requests(source: &SourceText, section: &mut Section) -> Result<(), InputError> {
    let folder = Path::new(source.name()).parent().unwrap_or(Path::new(""));
    let slots = section.window_seconds.in_units_of(section.basis_seconds).filter(|&slots| slots > 0);
    for model in &mut section.models {
        let at = model.at;
        let model = &mut model.value;
        let Some(RequestsFile { file, column }) = model.requests_from.take() else { continue };
        let owner = format!("model `{}`", model.name);
        let wrong = |field: &str, message: String| source.error_at(at, Some(field), message);
        if model.requests.is_some() {
            let message = format!("{owner} has both `requests` and `requests_from`. Keep one.");
            return Err(wrong("requests_from", message));
        }
        if file.is_empty() || file == "-" {
            let message = format!(
                "{owner}: `requests_from` names no file. Give a path, from the folder of this file on."
            );
            return Err(wrong("requests_from", message));
        }
        let path = folder.join(&file);
        let text = SourceText::read(&path).map_err(|error| {
            let message = format!("{owner}: `requests_from` names {}: {}", path.display(), error.message);
            wrong("requests_from", message)
        })?;
        let series = numbers(&text, column.as_deref())?;
        if let Some(slots) = slots.filter(|&slots| slots != series.len() as i128) {
            let message =
                wrong_length(&format!("{owner}: {file}"), series.len(), slots, section.basis_seconds);
            return Err(wrong("requests_from", message));
        }
        model.requests = Some(series);
    }
    Ok(())
}

/// The numbers of a column of a CSV file, or of a file with one number per line; lines that are empty or begin with `#` do
/// not count.
///
/// # Errors
/// When the column is not found, or a cell of it is no number of requests.
pub fn numbers(text: &SourceText, column: Option<&str>) -> Result<Vec<Amount>, InputError> {
    let mut rows = rows(text).peekable();
    let Some((line, first)) = rows.peek() else { return Ok(Vec::new()) };
    let (position, is_heading) = choose_column(text, *line, first, column)?;
    rows.skip(usize::from(is_heading)).map(|(line, row)| number(text, line, &row, position)).collect()
}

/// Rows of a CSV file with the numbers of their lines.
pub fn rows(text: &SourceText) -> impl Iterator<Item = (u64, StringRecord)> + '_ {
    let lines = text.text().trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).filter_map(
        |(number, line)| {
            let reader = ReaderBuilder::new().has_headers(false).trim(Trim::All).from_reader(line.as_bytes());
            Some((number, reader.into_records().next()?.ok()?))
        },
    )
}

fn number(text: &SourceText, line: u64, row: &StringRecord, position: usize) -> Result<Amount, InputError> {
    let wrong = |message: String| text.error_at_line(Some(line), message);
    let cell = row.get(position).ok_or_else(|| {
        let place = position + 1;
        wrong(format!("the row has {} cells, and the series is in column {place}. Add a number.", row.len()))
    })?;
    let number: Amount = cell.parse().map_err(|error| {
        wrong(format!("\"{cell}\" is not a number of requests: {error}. Write one number per slot."))
    })?;
    match rule_broken(number) {
        Some(rule) => Err(wrong(format!("a number of requests is {number} but {rule}."))),
        None => Ok(number),
    }
}

/// The column of the series, and whether the first row is a heading.
fn choose_column(
    text: &SourceText,
    line: u64,
    first: &StringRecord,
    column: Option<&str>,
) -> Result<(usize, bool), InputError> {
    let wrong = |message: String| text.error_at_line(Some(line), message);
    let is_heading = first.iter().any(|cell| cell.parse::<f64>().is_err());
    let headings = || first.iter().join(", ");
    match column {
        Some(name) if is_heading => {
            let position = first.iter().position(|cell| cell == name).ok_or_else(|| {
                let guess = did_you_mean(name, first.iter());
                wrong(format!("there is no column \"{name}\"{guess}. Columns: {}.", headings()))
            })?;
            Ok((position, true))
        }
        Some(name) => Err(wrong(format!(
            "`column` asks for \"{name}\", but the file has no heading. Add one, or leave `column` out."
        ))),
        None if first.len() == 1 => Ok((0, is_heading)),
        None => {
            let message = format!("the file has several columns ({}). Name one with `column`.", headings());
            Err(wrong(message))
        }
    }
}
