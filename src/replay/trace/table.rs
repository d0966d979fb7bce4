//! The tables of a trace: CSV files whose first line names the columns.

use csv::{ReaderBuilder, StringRecord, Trim};
use ground::{Amount, InputError, LARGEST_AMOUNT, SourceText, did_you_mean};
use itertools::Itertools;
use std::fmt::Display;
use std::path::Path;

/// Longest piece of a cell that a message repeats.
const LONGEST_QUOTE: usize = 40;

/// The tables that a trace is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TableKind {
    Nodes,
    Pods,
    Arrivals,
}

impl TableKind {
    const ALL: [TableKind; 3] = [TableKind::Nodes, TableKind::Pods, TableKind::Arrivals];

    /// The flag that takes the table.
    fn flag(self) -> &'static str {
        match self {
            TableKind::Nodes => "--nodes",
            TableKind::Pods => "--pods",
            TableKind::Arrivals => "--arrivals",
        }
    }

    /// The first line that such a table needs at least.
    fn example(self) -> &'static str {
        match self {
            TableKind::Nodes => "sn,cpu_milli,memory_mib,gpu",
            TableKind::Pods => "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time",
            TableKind::Arrivals => "name,profile,arrival,departure",
        }
    }

    /// A column that neither of the other tables has.
    fn telling_column(self) -> &'static str {
        match self {
            TableKind::Nodes => "sn",
            TableKind::Pods => "creation_time",
            TableKind::Arrivals => "arrival",
        }
    }
}

/// A table in memory: at least one row, and every row has as many cells as there are columns.
pub(super) struct Table {
    pub(super) source: SourceText,
    kind: TableKind,
    columns: Vec<String>,
    rows: Vec<StringRecord>,
}

/// A column of a table.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) name: &'static str,
    position: usize,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub(super) struct Row<'t> {
    table: &'t Table,
    cells: &'t StringRecord,
}

impl Table {
    /// Reads a table from a file.
    ///
    /// # Errors
    /// When the file cannot be read, is not UTF-8, has no row, or rows of several lengths.
    pub(super) fn read(path: &Path, kind: TableKind) -> Result<Self, InputError> {
        let source = SourceText::read(path)?;
        let broken = |error: csv::Error| {
            let line = error.position().map(csv::Position::line);
            source.error_at_line(line, format!("this is not a CSV file: {error}. Write it again as CSV."))
        };
        let mut reader =
            ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(source.text().as_bytes());
        let header = reader.headers().map_err(broken)?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        if columns.iter().all(String::is_empty) {
            let example = kind.example();
            let message = format!(
                "the file is empty. Its first line names the columns, such as `{example}`, and each further line is a row."
            );
            return Err(source.error(message));
        }
        let rows = reader.records().collect::<Result<Vec<_>, _>>().map_err(broken)?;
        let table = Table { source, kind, columns, rows };
        if let Some(row) = table.rows().find(|row| row.cells.len() != table.columns.len()) {
            let (columns, cells) = (table.columns.len(), row.cells.len());
            let message = format!(
                "the row has {cells} cells but the first line names {columns} columns. Add or remove commas; put texts that \
                 have commas in them in double quotes."
            );
            return Err(row.error(message));
        }
        Ok(table)
    }

    /// An error unless there is a row.
    pub(super) fn must_have_rows(&self) -> Result<(), InputError> {
        if self.rows.is_empty() {
            let message = "the file has no rows below the line that names the columns. Add at least one.";
            return Err(self.source.error(message));
        }
        Ok(())
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { table: self, cells })
    }

    pub(super) fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// A column that may be missing.
    pub(super) fn optional(&self, name: &'static str) -> Result<Option<Column>, InputError> {
        let mut positions = self.columns.iter().positions(|column| column == name);
        let found = positions.next().map(|position| Column { name, position });
        match positions.next() {
            None => Ok(found),
            Some(_) => {
                let message = format!("the column `{name}` is given twice. Remove or rename one.");
                Err(self.source.error_at_line(Some(1), message))
            }
        }
    }

    /// A column that must be there.
    pub(super) fn column(&self, name: &'static str) -> Result<Column, InputError> {
        self.optional(name)?.ok_or_else(|| self.missing(&format!("the column `{name}` is missing"), &[name]))
    }

    /// One of two columns, of which only one may be there.
    pub(super) fn either(
        &self,
        first: &'static str,
        second: &'static str,
    ) -> Result<Option<Column>, InputError> {
        match (self.optional(first)?, self.optional(second)?) {
            (Some(_), Some(_)) => {
                let message =
                    format!("the columns `{first}` and `{second}` say the same thing twice. Keep one.");
                Err(self.source.error_at_line(Some(1), message))
            }
            (found, other) => Ok(found.or(other)),
        }
    }

    /// One of two columns, of which one must be there.
    pub(super) fn one_of(&self, first: &'static str, second: &'static str) -> Result<Column, InputError> {
        let words = || format!("one of the columns `{first}` and `{second}` must be there");
        self.either(first, second)?.ok_or_else(|| self.missing(&words(), &[first, second]))
    }

    /// What to do about columns that are not there.
    fn missing(&self, words: &str, names: &[&str]) -> InputError {
        let has = |name: &str| self.columns.iter().any(|column| column == name);
        let mut others = TableKind::ALL.into_iter().filter(|kind| *kind != self.kind);
        let advice = if self.columns.len() == 1 && self.columns[0].contains([';', '\t', '|']) {
            "Put commas between the columns.".to_owned()
        } else if let Some(other) = others.find(|kind| has(kind.telling_column())) {
            format!("This file looks like one for {}; {} takes another.", other.flag(), self.kind.flag())
        } else {
            format!("{} needs a first line such as `{}`.", self.kind.flag(), self.kind.example())
        };
        let given = || self.columns.iter().map(String::as_str);
        let guess = names.iter().map(|name| did_you_mean(name, given())).find(|guess| !guess.is_empty());
        let guess = guess.unwrap_or_default();
        let given: String = given().join(", ").chars().take(200).collect();
        self.source.error_at_line(Some(1), format!("{words}{guess}. The first line names: {given}. {advice}"))
    }
}

impl<'t> Row<'t> {
    /// The line on which the row begins. The reader counts the empty lines before it as a part of the row.
    pub(super) fn line(self) -> Option<u64> {
        let start = usize::try_from(self.cells.position()?.byte()).ok()?;
        let (before, row) = self.table.source.text().split_at_checked(start)?;
        let skipped = row.len() - row.trim_start_matches(['\r', '\n']).len();
        let newlines = before.bytes().chain(row[..skipped].bytes()).filter(|byte| *byte == b'\n').count();
        Some(1 + newlines as u64)
    }

    pub(super) fn error(self, message: impl Into<String>) -> InputError {
        self.table.source.error_at_line(self.line(), message)
    }

    /// What stands in a column, without blanks around it.
    pub(super) fn text(self, column: Column) -> &'t str {
        self.cells.get(column.position).unwrap_or_default()
    }

    /// A complaint about a cell.
    pub(super) fn must_be(self, column: Column, wanted: impl Display) -> InputError {
        let text = self.text(column);
        let short: String = text.chars().take(LONGEST_QUOTE).collect();
        let dots = if short.len() < text.len() { "..." } else { "" };
        let found = if text.is_empty() { "empty".to_owned() } else { format!("\"{short}{dots}\"") };
        self.error(format!("`{}` is {found} but must be {wanted}.", column.name))
    }

    /// A whole number of at least 0 and at most so much.
    pub(super) fn whole(self, column: Column, most: u64) -> Result<u64, InputError> {
        let text = self.text(column);
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| digits && *number <= most);
        number.ok_or_else(|| self.must_be(column, format!("a whole number from 0 to {most}")))
    }

    /// A decimal number of at least 0.
    pub(super) fn amount(self, column: Column) -> Result<Amount, InputError> {
        let number = self.text(column).parse::<Amount>().ok();
        let fits = |number: &Amount| !number.is_negative() && *number < Amount::whole(LARGEST_AMOUNT);
        number.filter(fits).ok_or_else(|| {
            self.must_be(
                column,
                "a number from 0 to below 10^15 with at most six decimals, such as 12 or 0.5",
            )
        })
    }
}
