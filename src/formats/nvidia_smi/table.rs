//! The tables that `nvidia-smi mig` draws: rules of dashes, a head, a double rule, rows between bars.

use super::Listing;
use crate::place::{Place, Record};
use ground::{InputError, SourceText};

/// Answers without a table, in both listings.
const NO_INSTANCES: [&str; 2] = ["No GPU instances found", "No compute instances found"];
const NO_MIG: &str = "No MIG-enabled devices found";

/// Which table it is.
pub(super) struct Kind {
    /// The command that draws it.
    pub command: &'static str,
    /// What a row holds.
    pub columns: &'static str,
}

/// Whether a text has one of the answers without a table.
pub(super) fn answers_without_table(text: &str) -> bool {
    text.lines().any(|line| is_no_mig(line) || is_no_instances(line))
}

fn is_no_mig(line: &str) -> bool {
    line.trim_start().starts_with(NO_MIG)
}

fn is_no_instances(line: &str) -> bool {
    NO_INSTANCES.iter().any(|answer| line.trim_start().starts_with(answer))
}

/// Reads the rows; `read` makes a record of the words of one, or says nothing if it cannot.
pub(super) fn read<T>(
    source: &SourceText,
    kind: &Kind,
    read: impl Fn(&[&str]) -> Option<T>,
) -> Result<Listing<T>, InputError> {
    let mut rows = Vec::new();
    let (mut is_in_rows, mut is_closed, mut last) = (false, true, 0);
    let mut answer = None;
    for (position, line) in source.text().lines().enumerate() {
        let (place, line) = (Place::line_at(position), line.trim());
        last = position;
        if line.starts_with("|==") {
            (is_in_rows, is_closed) = (true, false);
        } else if line.starts_with("+--") {
            is_closed = line.ends_with('+') && (is_in_rows || rows.is_empty());
        } else if is_in_rows && !line.is_empty() {
            if !line.starts_with('|') {
                if is_closed {
                    // The prompt behind the table.
                    is_in_rows = false;
                    continue;
                }
                return Err(place.error(source, broken_row(kind)));
            }
            let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
            let words: Vec<&str> = inner.unwrap_or_default().split_whitespace().collect();
            let value = read(&words).ok_or_else(|| place.error(source, broken_row(kind)))?;
            rows.push(Record { value, place });
            is_closed = false;
        } else if is_no_mig(line) {
            answer = Some(Listing::NoMig);
        } else if is_no_instances(line) {
            answer = Some(Listing::NoInstances);
        }
    }
    match answer {
        Some(answer) if rows.is_empty() => Ok(answer),
        _ if rows.is_empty() || !is_closed => Err(Place::line_at(last).error(source, cut(kind))),
        _ => Ok(Listing::Rows(rows)),
    }
}

fn broken_row(kind: &Kind) -> String {
    format!(
        "this is not a row of `{}`, which has {}. Write the whole output of the command to the file again.",
        kind.command, kind.columns
    )
}

fn cut(kind: &Kind) -> String {
    format!(
        "the table of `{}` ends here without its closing line, so rows may be missing. Write the whole output of the \
         command to the file again.",
        kind.command
    )
}

/// A number in front of a colon and one behind it.
pub(super) fn placement<A: std::str::FromStr, B: std::str::FromStr>(word: &str) -> Option<(A, B)> {
    let (start, size) = word.split_once(':')?;
    Some((start.parse().ok()?, size.parse().ok()?))
}

/// Draws a table.
pub(super) fn draw(head: &[&str], rows: impl IntoIterator<Item = String>) -> String {
    let width = head[0].len() - 2;
    let rule = format!("+{}+\n", "-".repeat(width));
    let head: String = head.iter().map(|line| format!("{line}\n")).collect();
    let rows: String = rows.into_iter().map(|row| format!("{row}\n{rule}")).collect();
    format!("{rule}{head}|{}|\n{rows}", "=".repeat(width))
}
