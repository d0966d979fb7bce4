//! The plots of a replay as SVG.

use super::thin::thinned;
use crate::bars::{self, Bars, COLUMNS, LONGEST_NAME, Labels, named, plain};
use crate::categories::Categories;
use crate::chart::{self, AXIS, CHART_HEIGHT, COLOURS, LETTERS, TEXT, WIDE, chart, pen, style, with_title};
use crate::legend::{Entry, Mark, with_legend};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Thickness of the curves, of which many cross.
const THIN_PEN: u32 = 3;
/// Height of the two bars of a policy with the room around them.
const BAR_LINE: u32 = 110;

/// A named curve, or bars of one kind.
pub(super) struct Series {
    /// Its name.
    pub name: String,
    /// Which colour it has; none for the colour of text.
    pub rank: Option<usize>,
    /// Its points from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A value that curves are measured by.
pub(super) struct Level {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: f64,
}

/// Draws curves over days, and levels as dashed lines.
pub(super) fn over_time(curves: &[Series], levels: &[Level], labels: &Labels) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let last = points().map(|point| point.0).fold(0.0, f64::max);
    let last = if last > 0.0 { last } else { 1.0 };
    let values = points().map(|point| point.1).chain(levels.iter().map(|level| level.value));
    let top = 1.04 * values.fold(0.0, f64::max).max(0.1);
    // Half a unit of the drawing cannot be seen.
    let tolerance = 0.5 * top / f64::from(CHART_HEIGHT);
    let tones = [TEXT, AXIS];
    let mut entries: Vec<Entry> = curves
        .iter()
        .map(|curve| Entry {
            words: curve.name.clone(),
            mark: Mark::Solid(line(curve).stroke_width(2 * THIN_PEN)),
        })
        .collect();
    entries.extend(levels.iter().zip(tones).map(|(level, tone)| Entry {
        words: level.name.clone(),
        mark: Mark::Dashed(tone.stroke_width(THIN_PEN)),
    }));
    let svg = with_legend((WIDE, CHART_HEIGHT), &entries, COLUMNS, |area| {
        let mut chart = chart(area).build_cartesian_2d(0.0..last, 0.0..top)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_labels(12).x_label_formatter(&plain);
        style(&mut mesh, labels.x, labels.y, &plain)?;
        for curve in curves {
            chart.draw_series(LineSeries::new(thinned(&curve.points, tolerance), line(curve)))?;
        }
        for ((level, tone), (dash, space)) in levels.iter().zip(tones).zip([(18, 10), (6, 8)]) {
            let ends = [(0.0, level.value), (last, level.value)];
            chart.draw_series(DashedLineSeries::new(ends, dash, space, tone.stroke_width(THIN_PEN)))?;
        }
        Ok(())
    });
    with_title(&svg, labels.title)
}

/// Draws bars in groups: the bars of each series are at the group of their rank, and go up to a percentage.
pub(super) fn grouped_bars(groups: &[&str], series: &[Series], labels: &Labels) -> String {
    let bars: Vec<Bars> = series
        .iter()
        .map(|series| Bars {
            name: series.name.clone(),
            colour: colour(series),
            values: series.points.clone(),
        })
        .collect();
    bars::grouped(groups, &bars, 0.0..104.0, labels)
}

/// Draws two bars for each policy, each with its number in words.
pub(super) fn distances(
    policies: &[(&str, [(f64, String); 2])],
    names: [&str; 2],
    labels: &Labels,
) -> String {
    let tones = [COLOURS[0], COLOURS[5]];
    let entries: Vec<Entry> = names
        .into_iter()
        .zip(tones)
        .map(|(name, tone)| Entry { words: name.to_owned(), mark: Mark::Filled(tone) })
        .collect();
    let values = || policies.iter().flat_map(|(_, to)| to).map(|(distance, _)| *distance);
    let (least, most) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let extent = (most - least).max(1.0);
    // Room for the numbers behind the longest bar.
    let range = least..most + 0.32 * extent;
    let titles: Vec<&str> = policies.iter().map(|(policy, _)| *policy).collect();
    let name = |place: &f64| named(&titles, *place, LONGEST_NAME);
    let height = 130 + BAR_LINE * policies.len() as u32;
    let svg = with_legend((WIDE, height), &entries, COLUMNS, |area| {
        let up = Categories { count: policies.len(), reversed: true };
        let mut builder = chart(area);
        builder.y_label_area_size(21 * LONGEST_NAME as u32);
        let mut chart = builder.build_cartesian_2d(range, up)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh().x_labels(8).x_label_formatter(&plain);
        style(&mut mesh, labels.x, labels.y, &name)?;
        let font = ("sans-serif", LETTERS).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
        for (rank, (_, to)) in policies.iter().enumerate() {
            for ((distance, words), (tone, upper)) in to.iter().zip(tones.into_iter().zip([-0.4, 0.02])) {
                let (top, bottom) = (rank as f64 + upper, rank as f64 + upper + 0.38);
                let corners = [(0.0, bottom), (*distance, top)];
                chart.draw_series([Rectangle::new(corners, tone.filled())])?;
                let at = (distance.max(0.0) + 0.012 * extent, (top + bottom) / 2.0);
                chart.draw_series([Text::new(words.clone(), at, font.clone())])?;
            }
        }
        Ok(())
    });
    with_title(&svg, labels.title)
}

fn colour(series: &Series) -> RGBColor {
    series.rank.map_or(TEXT, chart::colour)
}

/// The line of a curve; once the colours are used up they return in thinner lines.
fn line(series: &Series) -> ShapeStyle {
    let thin = series.rank.is_some_and(|rank| pen(rank).stroke_width < pen(0).stroke_width);
    colour(series).stroke_width(if thin { 1 } else { THIN_PEN })
}
