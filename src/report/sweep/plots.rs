//! Step curves as SVG.

use super::axis::GapAxis;
use super::curves::Curve;
use crate::chart::{Area, CHART_HEIGHT, Drawn, PEN, TEXT, WIDTH, chart, pen, style, with_title};
use crate::legend::{Entry, Mark, with_legend};
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

/// A legend with more entries than this has two columns if its names are short enough.
const MOST_OF_ONE_COLUMN: usize = 5;
const LONGEST_OF_TWO: usize = 17;

/// What a plot shows, besides its curves.
pub(super) struct Labels<'l> {
    /// For those who do not see it.
    pub title: &'l str,
    /// The horizontal axis, with unit.
    pub x: &'l str,
    /// The vertical axis, with unit.
    pub y: &'l str,
    /// What a dashed line means, where there are any.
    pub dashed: &'l str,
}

/// Draws distributions of gaps.
pub(super) fn gaps(curves: &[Curve], labels: &Labels) -> String {
    let gaps = curves.iter().flat_map(|curve| curve.steps.last()).map(|&(gap, _)| gap);
    let axis = GapAxis::up_to(gaps.fold(0.0, f64::max));
    let last = axis.last();
    draw(curves, labels, |area| {
        let mut chart = chart(area).build_cartesian_2d(axis, 0.0..1.04)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&|gap| <GapAxis as ValueFormatter<f64>>::format(gap));
        style(&mut mesh, labels.x, labels.y, &percent)?;
        for curve in curves {
            let points = polyline(&curve.steps, 0.0, last);
            if curve.pessimistic {
                chart.draw_series(DashedLineSeries::new(points, 12, 10, pen(curve.rank)))?;
            } else {
                chart.draw_series(LineSeries::new(points, pen(curve.rank)))?;
            }
        }
        Ok(())
    })
}

/// Draws performance profiles.
pub(super) fn profile(curves: &[Curve], labels: &Labels) -> String {
    let ratios = curves.iter().flat_map(|curve| curve.steps.last()).map(|&(ratio, _)| ratio);
    let last = ratios.fold(2.0, f64::max) * 1.1;
    draw(curves, labels, |area| {
        let mut chart = chart(area).build_cartesian_2d((1.0..last).log_scale().base(2.0), 0.0..1.04)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_labels(7).x_label_formatter(&|ratio| power_of_two(*ratio));
        style(&mut mesh, labels.x, labels.y, &percent)?;
        for curve in curves {
            chart.draw_series(LineSeries::new(polyline(&curve.steps, 1.0, last), pen(curve.rank)))?;
        }
        Ok(())
    })
}

/// Draws a chart and below it the legend, so that it covers no curve.
fn draw(curves: &[Curve], labels: &Labels, chart: impl FnOnce(&Area) -> Drawn) -> String {
    let named = curves.iter().filter(|curve| !curve.pessimistic);
    let mut entries: Vec<Entry> = named
        .map(|curve| Entry { words: curve.method.to_owned(), mark: Mark::Solid(pen(curve.rank)) })
        .collect();
    if curves.iter().any(|curve| curve.pessimistic) {
        let mark = Mark::Dashed(TEXT.stroke_width(PEN));
        entries.push(Entry { words: labels.dashed.to_owned(), mark });
    }
    let short = |entry: &Entry| entry.words.chars().count() <= LONGEST_OF_TWO;
    let columns = if entries.len() > MOST_OF_ONE_COLUMN && entries.iter().all(short) { 2 } else { 1 };
    let svg = with_legend((WIDTH, CHART_HEIGHT), &entries, columns, chart);
    with_title(&svg, labels.title)
}

/// The steps as corners of a line from one end of the axis to the other.
fn polyline(steps: &[(f64, f64)], first: f64, last: f64) -> Vec<(f64, f64)> {
    let share_at_first = steps.first().filter(|&&(value, _)| value <= first).map_or(0.0, |&(_, share)| share);
    let mut corners = vec![(first, share_at_first)];
    let mut before = share_at_first;
    for &(value, share) in steps.iter().filter(|&&(value, _)| first < value && value <= last) {
        corners.extend([(value, before), (value, share)]);
        before = share;
    }
    corners.push((last, before));
    corners
}

fn percent(share: &f64) -> String {
    format!("{:.0}", 100.0 * share)
}

fn power_of_two(ratio: f64) -> String {
    let exponent = ratio.log2().round() as i32;
    if exponent < 10 {
        return format!("{ratio:.0}");
    }
    let superscripts = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    let raised = digits.chars().filter_map(|digit| superscripts.get(digit.to_digit(10)? as usize));
    format!("2{}", raised.collect::<String>())
}
