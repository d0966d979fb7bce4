//! What the lines and bars of a chart stand for, below it so that no curve is covered.

use super::chart::{Area, Drawn, LETTERS, TEXT};
use super::text::shorten;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Height of a line of the legend.
const LINE: u32 = 50;
/// Characters of a name at most, and the width of one with a little reserve.
const LONGEST_NAME: usize = 40;
const CHARACTER: i32 = 18;
/// Where the name begins beside its mark.
const NAME: i32 = 130;

/// An entry of a legend.
pub(super) struct Entry {
    /// What it stands for.
    pub words: String,
    /// How it is drawn.
    pub mark: Mark,
}

/// How something is drawn.
pub(super) enum Mark {
    /// A solid line.
    Solid(ShapeStyle),
    /// A dashed line.
    Dashed(ShapeStyle),
    /// A filled bar.
    Filled(RGBColor),
}

/// Draws a chart of some size, and below it the legend in so many columns.
pub(super) fn with_legend(
    (width, height): (u32, u32),
    entries: &[Entry],
    columns: usize,
    chart: impl FnOnce(&Area) -> Drawn,
) -> String {
    let mut svg = String::new();
    {
        let whole = (width, height + self::height(entries.len(), columns));
        let area = SVGBackend::with_string(&mut svg, whole).into_drawing_area();
        let (upper, lower) = area.split_vertically(height);
        let drawn = chart(&upper).and_then(|()| draw(&lower, entries, columns)).and_then(|()| area.present());
        drawn.expect("a drawing in memory of positive size has no way to fail");
    }
    svg
}

/// Height of a legend with its entries in so many columns.
fn height(entries: usize, columns: usize) -> u32 {
    LINE * entries.div_ceil(columns) as u32 + 10
}

/// Draws the entries line by line, each column as wide as the others.
fn draw(area: &Area, entries: &[Entry], columns: usize) -> Drawn {
    let width = area.dim_in_pixel().0 as i32 / columns as i32;
    let font = ("sans-serif", LETTERS).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
    let longest = LONGEST_NAME.min(((width - NAME) / CHARACTER).max(1) as usize);
    for (rank, entry) in entries.iter().enumerate() {
        let left = width * (rank % columns) as i32;
        let line = 10 + (LINE as i32) * (rank / columns) as i32 + LINE as i32 / 2;
        match &entry.mark {
            Mark::Solid(style) => {
                area.draw(&PathElement::new(vec![(left + 40, line), (left + 110, line)], *style))?;
            }
            Mark::Dashed(style) => {
                for start in [40, 62, 84] {
                    let ends = vec![(left + start, line), (left + start + 12, line)];
                    area.draw(&PathElement::new(ends, *style))?;
                }
            }
            Mark::Filled(colour) => {
                let corners = [(left + 60, line - 14), (left + 110, line + 14)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
            }
        }
        let words = readable(&shorten(&entry.words, longest));
        area.draw(&Text::new(words, (left + NAME, line), font.clone()))?;
    }
    Ok(())
}

/// The name without characters that SVG does not allow.
pub(super) fn readable(name: &str) -> String {
    name.chars().map(|symbol| if symbol.is_control() { '?' } else { symbol }).collect()
}
