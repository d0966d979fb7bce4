//! Bars side by side, in groups.

use super::categories::Categories;
use super::chart::{AXIS, CHART_HEIGHT, Drawn, LETTERS, MARGINS, TEXT, WIDE, chart, style, with_title};
use super::legend::{Entry, Mark, readable, with_legend};
use super::page::numbers::decimal;
use super::text::shorten;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Columns of a legend below a wide drawing, and where all names are short.
pub(super) const COLUMNS: usize = 2;
const COLUMNS_OF_SHORT_NAMES: usize = 4;
const SHORT_NAME: usize = 12;
/// Characters of a name that fit beside bars.
pub(super) const LONGEST_NAME: usize = 20;
/// Width of a character of all letters, with a little reserve.
const CHARACTER: u32 = 18;
/// Room for the labels of the vertical axis, which may be millions.
const LABELS: u32 = 160;
/// Characters of a number that is written above a bar.
const LONGEST_NUMBER: u32 = 6;

/// What a plot shows, besides its content.
pub(super) struct Labels<'l> {
    /// For those who do not see it.
    pub title: &'l str,
    /// The horizontal axis, with unit.
    pub x: &'l str,
    /// The vertical axis, with unit.
    pub y: &'l str,
}

/// Bars of one kind.
pub(super) struct Bars {
    /// What they stand for.
    pub name: String,
    /// Their colour.
    pub colour: RGBColor,
    /// The group of each by its rank, and the value up or down to which it goes from 0.
    pub values: Vec<(f64, f64)>,
}

/// Draws bars in groups. Where they are wide enough, their numbers stand at their ends.
pub(super) fn grouped(groups: &[&str], bars: &[Bars], range: Range<f64>, labels: &Labels) -> String {
    let mark = |bars: &Bars| Entry { words: bars.name.clone(), mark: Mark::Filled(bars.colour) };
    let entries: Vec<Entry> = bars.iter().map(mark).collect();
    let width = 0.8 / bars.len().max(1) as f64;
    let room = (WIDE - MARGINS - LABELS) / groups.len().max(1) as u32;
    let numbered = f64::from(room) * width >= f64::from(LONGEST_NUMBER * CHARACTER);
    let longest = (room / CHARACTER) as usize;
    let short = bars.iter().all(|bars| bars.name.chars().count() <= SHORT_NAME);
    let columns = if short { COLUMNS_OF_SHORT_NAMES } else { COLUMNS };
    let svg = with_legend((WIDE, CHART_HEIGHT), &entries, columns, |area| -> Drawn {
        let along = Categories { count: groups.len(), reversed: false };
        let mut builder = chart(area);
        let mut chart = builder.y_label_area_size(LABELS).build_cartesian_2d(along, range)?;
        let mut mesh = chart.configure_mesh();
        let name = |place: &f64| named(groups, *place, longest);
        mesh.disable_x_mesh().x_label_formatter(&name);
        style(&mut mesh, labels.x, labels.y, &plain)?;
        for (rank, bars) in bars.iter().enumerate() {
            let left = -0.4 + width * rank as f64;
            let right = left + 0.86 * width;
            let bar = |&(group, value): &(f64, f64)| {
                Rectangle::new([(group + left, 0.0), (group + right, value)], bars.colour.filled())
            };
            chart.draw_series(bars.values.iter().map(bar))?;
            if numbered {
                let above = ("sans-serif", LETTERS).into_font().color(&TEXT);
                let number = |&(group, value): &(f64, f64)| {
                    let end = if value < 0.0 { VPos::Top } else { VPos::Bottom };
                    let style = above.pos(Pos::new(HPos::Center, end));
                    Text::new(decimal(value), (group + (left + right) / 2.0, value), style)
                };
                chart.draw_series(bars.values.iter().map(number))?;
            }
        }
        let last = groups.len() as f64 - 0.5;
        chart.draw_series(LineSeries::new([(-0.5, 0.0), (last, 0.0)], AXIS.stroke_width(3)))?;
        Ok(())
    });
    with_title(&svg, labels.title)
}

/// The range of an axis for bars: from 0, or from below it, with room for the numbers at their ends.
pub(super) fn range_of(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (least, most) =
        values.fold((0.0_f64, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    let extent = if most > least { most - least } else { 1.0 };
    let below = if least < 0.0 { least - 0.1 * extent } else { 0.0 };
    below..(most + 0.1 * extent)
}

/// Values at the places of their ranks, as far as there are any.
pub(super) fn placed(values: impl Iterator<Item = Option<f64>>) -> Vec<(f64, f64)> {
    values.enumerate().filter_map(|(rank, value)| Some((rank as f64, value?))).collect()
}

/// The name at a place of an axis of names, in so many characters.
pub(super) fn named(names: &[&str], place: f64, room: usize) -> String {
    names.get(place as usize).map_or(String::new(), |name| readable(&shorten(name, room)))
}

/// A number of an axis; millions are marked by an M.
pub(super) fn plain(value: &f64) -> String {
    if value.abs() >= 1e6 {
        return format!("{} M", plain(&(value / 1e6)));
    }
    // The sum turns -0 into 0.
    let text = format!("{:.2}", (100.0 * value).round() / 100.0 + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
