//! Where rows and headers stand.

use ground::counted;
use std::collections::BTreeMap;

use crate::rows::{Row, Section};

/// Free border on all sides.
pub(super) const MARGIN: f64 = 16.0;
/// Distance of rows.
pub(super) const PITCH: f64 = 23.0;
/// Height of a row's bar.
pub(super) const BAR_HEIGHT: f64 = 17.0;
/// Width of a row's bar, whatever the number of its slots.
pub(super) const BAR_WIDTH: f64 = 456.0;
/// Room between before and after, with and without lines in it.
const GAP_WITH_LINES: f64 = 150.0;
const GAP: f64 = 24.0;
/// Room between columns of rows.
const GUTTER: f64 = 40.0;
/// Height of the title and the counts below it, and of the words before and after.
const TITLE: f64 = 54.0;
const SIDES: f64 = 14.0;
/// Width of a character of a GPU's name.
const NAME_CHARACTER: f64 = 6.7;
/// A column of rows is broken only when it is longer than this.
const LONG_COLUMN: usize = 40;

/// A drawing's geometry.
pub(super) struct Layout<'s, 'p> {
    /// Headers of boards.
    pub headers: Vec<HeaderPlace<'p>>,
    /// Rows.
    pub rows: Vec<RowPlace<'s, 'p>>,
    /// Whether there is a bar before and a bar after the change.
    pub change: bool,
    /// Most characters of a name.
    pub name_length: usize,
    /// Width of the whole drawing.
    pub width: f64,
    /// Lower end of the rows.
    pub bottom: f64,
    name_width: f64,
    gap: f64,
    row_of_gpu: BTreeMap<&'p str, usize>,
}

/// A header of a board above rows.
pub(super) struct HeaderPlace<'p> {
    /// Name of the board.
    pub board: &'p str,
    /// Number of its slots.
    pub slots: u32,
    /// Left end.
    pub x: f64,
    /// Upper end.
    pub y: f64,
}

/// A row with its place.
pub(super) struct RowPlace<'s, 'p> {
    /// The row.
    pub row: &'s Row<'p>,
    /// Left end.
    pub x: f64,
    /// Upper end.
    pub y: f64,
}

impl<'s, 'p> Layout<'s, 'p> {
    /// Places rows in one column, or in several if there are many and no lines between them.
    pub fn of(sections: &'s [Section<'p>], change: bool, lines: bool) -> Self {
        let total: usize = sections.iter().map(|section| section.rows.len()).sum();
        let names =
            sections.iter().flat_map(|section| &section.rows).map(|row| row_name(row).chars().count());
        let boards = sections.iter().map(|section| section.board.chars().count());
        let name_length = names.chain(boards).max().unwrap_or(0).clamp(6, 22);
        let most_columns = if lines {
            1
        } else if change {
            2
        } else {
            3
        };
        let columns = total.div_ceil(LONG_COLUMN).clamp(1, most_columns);
        let mut layout = Self {
            headers: Vec::new(),
            rows: Vec::new(),
            change,
            name_length,
            width: 0.0,
            bottom: TITLE + if change { SIDES } else { 0.0 },
            name_width: name_length as f64 * NAME_CHARACTER + 22.0,
            gap: if lines { GAP_WITH_LINES } else { GAP },
            row_of_gpu: BTreeMap::new(),
        };
        let column_width = layout.after(0.0) + BAR_WIDTH;
        layout.width = (2.0 * MARGIN + columns as f64 * (column_width + GUTTER) - GUTTER).ceil();
        layout.place(sections, columns, (total + sections.len()).div_ceil(columns), column_width + GUTTER);
        layout
    }

    fn place(&mut self, sections: &'s [Section<'p>], columns: usize, capacity: usize, step: f64) {
        let (mut column, mut used, top) = (0, 0, self.bottom);
        for section in sections {
            let mut headed = false;
            for row in &section.rows {
                if used + usize::from(!headed) >= capacity && column + 1 < columns {
                    (column, used, headed) = (column + 1, 0, false);
                }
                let x = MARGIN + column as f64 * step;
                let y = |used: usize| top + used as f64 * PITCH;
                if !headed {
                    self.headers.push(HeaderPlace {
                        board: section.board,
                        slots: section.slots,
                        x,
                        y: y(used),
                    });
                    (headed, used) = (true, used + 1);
                }
                for gpu in &row.gpus {
                    self.row_of_gpu.insert(&gpu.name, self.rows.len());
                }
                self.rows.push(RowPlace { row, x, y: y(used) });
                used += 1;
                self.bottom = self.bottom.max(y(used));
            }
        }
    }

    /// The left end of the bar before the change, or of the only bar, in a column that begins at `x`.
    pub fn before(&self, x: f64) -> f64 {
        x + self.name_width
    }

    /// The left end of the bar after the change, or of the only bar, in a column that begins at `x`.
    pub fn after(&self, x: f64) -> f64 {
        self.before(x) + if self.change { BAR_WIDTH + self.gap } else { 0.0 }
    }

    /// The place of the row that shows a GPU.
    pub fn place_of(&self, gpu: &str) -> &RowPlace<'s, 'p> {
        &self.rows[self.row_of_gpu[gpu]]
    }

    /// How many characters of the given width fit into the drawing.
    pub fn characters(&self, width: f64) -> usize {
        ((self.width - 2.0 * MARGIN) / width) as usize
    }
}

/// The name of a GPU, or how many look alike.
pub(super) fn row_name(row: &Row) -> String {
    if row.gpus.len() == 1 { row.gpu().name.to_string() } else { counted(row.gpus.len(), "GPU") }
}

/// The distance of a slot's left end from the bar's.
pub(super) fn slot_offset(slot: u32, slots: u32) -> f64 {
    BAR_WIDTH * slot as f64 / slots.max(1) as f64
}
