//! Tables before they are HTML or Markdown.

/// A table, and what it shows.
pub(crate) struct Table {
    /// What it shows, in one line.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its lines; each has a cell for each column.
    pub lines: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone)]
pub(crate) struct Column {
    /// What several neighbouring columns are about, if they belong together.
    pub group: Option<String>,
    /// What it holds, unit included.
    pub title: String,
    /// Whether it holds numbers.
    pub numeric: bool,
}

impl Column {
    /// A column of words.
    pub fn words(title: impl Into<String>) -> Self {
        Column { group: None, title: title.into(), numeric: false }
    }

    /// A column of numbers.
    pub fn numbers(title: impl Into<String>) -> Self {
        Column { group: None, title: title.into(), numeric: true }
    }

    /// The column as one of a group.
    pub fn under(self, group: impl Into<String>) -> Self {
        Column { group: Some(group.into()), ..self }
    }
}

/// A cell of a table.
#[derive(Clone, Default)]
pub(crate) struct Cell {
    /// What it says.
    pub text: String,
    /// The number by which it is sorted in a column of numbers; none sorts last.
    pub number: Option<f64>,
    /// Where it leads.
    pub link: Option<String>,
}

impl Cell {
    /// A cell of words.
    pub fn words(text: impl Into<String>) -> Self {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A number as it is to be read.
    pub fn number(number: f64, text: impl Into<String>) -> Self {
        Cell { text: text.into(), number: Some(number), link: None }
    }

    /// A count.
    pub fn count(number: usize) -> Self {
        Cell::number(number as f64, super::numbers::whole(number))
    }

    /// Nothing to say.
    pub fn none() -> Self {
        Cell::words("–")
    }
}
