//! A table of numbers as a map: the larger a number, the stronger its colour.

use super::numbers::decimal;
use crate::chart::{Area, COLOURS, Drawn, LETTERS, TEXT, WIDE, frame, with_title};
use crate::legend::{readable, with_legend};
use crate::text::shorten;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Size of the numbers in the cells.
const CELL_LETTERS: u32 = 34;
/// Width of a character of a row's name, of a column's name and of a number, with a little reserve.
const ROW_CHARACTER: i32 = 20;
const NAME_CHARACTER: i32 = 18;
const CELL_CHARACTER: i32 = 16;
/// Height of a row.
const ROW: i32 = 56;
/// Characters of a row's and of a column's name that are written.
const LONGEST_ROW_NAME: usize = 24;
const LONGEST_COLUMN_NAME: usize = 24;
/// Free border on all sides, and between cells.
const MARGIN: i32 = 16;
const GAP: i32 = 4;
/// How strong the colours are at most, so that the numbers on them stay legible on light and dark pages.
const STRONGEST: f64 = 0.5;

/// What the strength of a colour stands for.
#[derive(Clone, Copy)]
pub(super) enum Shade {
    /// How large the number is, between the smallest and the largest of all.
    BySize,
    /// How far the number is from 0: green on the good side, orange on the bad one.
    AroundZero {
        /// Whether numbers above 0 are good.
        more_is_better: bool,
    },
}

/// Numbers in rows and columns.
pub(super) struct HeatMap<'h> {
    /// For those who do not see it.
    pub title: &'h str,
    /// Names of the columns.
    pub columns: &'h [&'h str],
    /// Names of the rows.
    pub rows: &'h [&'h str],
    /// The numbers of each row.
    pub values: Vec<Vec<Option<f64>>>,
    /// Which numbers of each row are framed.
    pub framed: Vec<Vec<bool>>,
    /// What the colours stand for.
    pub shade: Shade,
}

impl HeatMap<'_> {
    /// Draws it.
    pub fn svg(&self) -> String {
        let grid = Grid::of(self);
        let svg = with_legend((grid.width, grid.height), &[], 1, |area| self.draw(area, &grid));
        with_title(&svg, self.title)
    }

    fn draw(&self, area: &Area, grid: &Grid) -> Drawn {
        let names = ("sans-serif", LETTERS).into_font().color(&TEXT);
        for (rank, name) in self.columns.iter().enumerate() {
            let name = readable(&shorten(name, LONGEST_COLUMN_NAME));
            let middle = grid.left + grid.cell * rank as i32 + grid.cell / 2;
            if grid.upright {
                let font =
                    ("sans-serif", LETTERS).into_font().transform(FontTransform::Rotate270).color(&TEXT);
                let font = font.pos(Pos::new(HPos::Left, VPos::Center));
                area.draw(&Text::new(name, (middle, grid.top - 12), font))?;
            } else {
                let font = names.pos(Pos::new(HPos::Center, VPos::Center));
                area.draw(&Text::new(name, (middle, grid.top - ROW / 2), font))?;
            }
        }
        for (rank, name) in self.rows.iter().enumerate() {
            let middle = grid.top + ROW * rank as i32 + ROW / 2;
            let font = names.pos(Pos::new(HPos::Right, VPos::Center));
            let name = readable(&shorten(name, LONGEST_ROW_NAME));
            area.draw(&Text::new(name, (grid.left - 14, middle), font))?;
            for (column, value) in self.values[rank].iter().enumerate() {
                let corner = (grid.left + grid.cell * column as i32, grid.top + ROW * rank as i32);
                if let Some(value) = *value {
                    self.cell(area, grid, corner, value, self.framed[rank][column])?;
                }
            }
        }
        Ok(())
    }

    fn cell(&self, area: &Area, grid: &Grid, (x, y): (i32, i32), value: f64, framed: bool) -> Drawn {
        let corners = [(x, y), (x + grid.cell - GAP, y + ROW - GAP)];
        let hue = match self.shade {
            Shade::AroundZero { more_is_better } if value != 0.0 => {
                if more_is_better == (value > 0.0) {
                    COLOURS[2]
                } else {
                    COLOURS[1]
                }
            }
            _ => COLOURS[0],
        };
        area.draw(&Rectangle::new(corners, hue.mix(self.strength(value)).filled()))?;
        if framed {
            area.draw(&frame(corners, TEXT.stroke_width(4)))?;
        }
        let font = ("sans-serif", CELL_LETTERS).into_font().color(&TEXT);
        let font = font.pos(Pos::new(HPos::Center, VPos::Center));
        area.draw(&Text::new(decimal(value), (x + grid.cell / 2, y + ROW / 2), font))
    }

    /// How strong the colour of a number is.
    fn strength(&self, value: f64) -> f64 {
        let values = || self.values.iter().flatten().flatten().copied();
        let share = match self.shade {
            Shade::BySize => {
                let (least, most) =
                    (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
                if most > least { (value - least) / (most - least) } else { 0.0 }
            }
            Shade::AroundZero { .. } => {
                let farthest = values().map(f64::abs).fold(0.0, f64::max);
                if farthest > 0.0 { value.abs() / farthest } else { 0.0 }
            }
        };
        // Steps of a hundredth are finer than the eye sees.
        (100.0 * STRONGEST * (0.06 + 0.94 * share)).round() / 100.0
    }
}

/// Where the cells are.
struct Grid {
    left: i32,
    top: i32,
    cell: i32,
    /// Whether the names of the columns are written upwards, as there is no room for them side by side.
    upright: bool,
    width: u32,
    height: u32,
}

impl Grid {
    fn of(map: &HeatMap) -> Self {
        let longest = |names: &[&str], most: usize| {
            names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(most) as i32
        };
        let rows = longest(map.rows, LONGEST_ROW_NAME);
        let columns = longest(map.columns, LONGEST_COLUMN_NAME);
        let left = MARGIN + 14 + ROW_CHARACTER * rows;
        let numbers = map.values.iter().flatten().flatten().map(|value| decimal(*value).chars().count());
        let least = CELL_CHARACTER * numbers.max().unwrap_or(1) as i32 + 3 * GAP;
        let count = map.columns.len().max(1) as i32;
        let cell = ((WIDE as i32 - MARGIN - left) / count).max(least);
        let upright = NAME_CHARACTER * columns > cell - GAP;
        let top = if upright { MARGIN + 12 + NAME_CHARACTER * columns } else { MARGIN + ROW };
        let height = top + ROW * map.rows.len() as i32 + MARGIN;
        Grid { left, top, cell, upright, width: (left + cell * count + MARGIN) as u32, height: height as u32 }
    }
}
