//! How much of a sweep a report is about.

use super::numbers;
use bench::Changes;

/// What a folder of rows holds beside the rows that a report is about, and what it lacks.
#[derive(Default)]
pub(super) struct Extent {
    /// How many rows the sweep has when it is complete, where that is known.
    pub asked: Option<usize>,
    /// Rows of earlier commands.
    pub left_out: Changes,
}

impl Extent {
    /// That rows are missing, if any are.
    pub fn incomplete(&self, rows: usize) -> Option<String> {
        let asked = self.asked.filter(|&asked| rows < asked)?;
        let (rows, asked) = (numbers::whole(rows), numbers::whole(asked));
        Some(format!("The sweep is not complete: {rows} of {asked} rows are there."))
    }
}
