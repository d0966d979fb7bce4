//! Series of requests in files of their own.

use super::section::{RequestsFile, Section};
use crate::cluster::{Amount, InputError, SourceText, did_you_mean};
use std::path::Path;

/// Replaces every `requests_from` by the series that the file holds.
///
/// # Errors
/// When a file cannot be read, or holds anything but numbers; the message names the line of that file.
pub fn read_requests(source: &SourceText, section: &mut Section) -> Result<(), InputError> {
    let folder = Path::new(source.name()).parent().unwrap_or(Path::new(""));
    for model in &mut section.models {
        let at = model.referenced;
        let model = &mut model.value;
        let Some(file) = model.requests_from.take() else { continue };
        if model.requests.is_some() {
            let message =
                format!("model `{}` has both `requests` and `requests_from`. Keep one.", model.name);
            return Err(source.error_at(at, Some("requests_from"), message));
        }
        model.requests = Some(read_series(folder, &file)?);
    }
    Ok(())
}

fn read_series(folder: &Path, file: &RequestsFile) -> Result<Vec<Amount>, InputError> {
    let text = SourceText::read(&folder.join(&file.file))?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.text().as_bytes());
    let mut column: Option<usize> = None;
    let mut series = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map(|position| position.line());
            text.error_at_line(line, format!("this is not CSV: {error}. Write one row per slot."))
        })?;
        let line = record.position().map(|position| position.line());
        let position = match column {
            Some(position) => position,
            None => {
                let (position, is_heading) = choose_column(&text, line, &record, file)?;
                column = Some(position);
                if is_heading {
                    continue;
                }
                position
            }
        };
        let cell = record.get(position).unwrap_or_default();
        let number: Amount = cell.parse().map_err(|error| {
            let message =
                format!("\"{cell}\" is not a number of requests: {error}. Write one number per slot.");
            text.error_at_line(line, message)
        })?;
        series.push(number);
    }
    Ok(series)
}

/// The column of the series, and whether the first record is a heading.
fn choose_column(
    text: &SourceText,
    line: Option<u64>,
    first: &csv::StringRecord,
    file: &RequestsFile,
) -> Result<(usize, bool), InputError> {
    let is_heading = first.iter().any(|cell| cell.parse::<Amount>().is_err());
    let headings = || first.iter().collect::<Vec<_>>().join(", ");
    match &file.column {
        Some(name) => match first.iter().position(|cell| cell == name) {
            Some(position) if is_heading => Ok((position, true)),
            _ if is_heading => {
                let guess = did_you_mean(name, first.iter());
                let message = format!("there is no column \"{name}\"{guess}. Columns: {}.", headings());
                Err(text.error_at_line(line, message))
            }
            _ => {
                let message = format!(
                    "the column \"{name}\" is asked for, but the file has no heading. Add one, or leave `column` out."
                );
                Err(text.error_at_line(line, message))
            }
        },
        None if first.len() == 1 => Ok((0, is_heading)),
        None => {
            let message = format!("the file has several columns ({}). Name one with `column`.", headings());
            Err(text.error_at_line(line, message))
        }
    }
}
