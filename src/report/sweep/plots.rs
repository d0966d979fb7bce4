//! Step curves as SVG.

use super::axis::GapAxis;
use super::curves::Curve;
use crate::report::chart::{
    Area, CHART_HEIGHT, Drawn, LETTERS, PEN, TEXT, WIDTH, chart, pen, style, with_title,
};
use crate::report::text::shorten;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Height of a line of the legend.
const LEGEND_LINE: u32 = 50;
/// Characters of a method's name that fit beside its mark.
const LONGEST_NAME: usize = 40;

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
    let named: Vec<&Curve> = curves.iter().filter(|curve| !curve.pessimistic).collect();
    let dashed = curves.iter().any(|curve| curve.pessimistic);
    let lines = named.len() as u32 + u32::from(dashed);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, CHART_HEIGHT + LEGEND_LINE * lines + 10));
        let area = area.into_drawing_area();
        let (upper, lower) = area.split_vertically(CHART_HEIGHT);
        let drawn = chart(&upper)
            .and_then(|()| legend(&lower, &named, dashed.then_some(labels.dashed)))
            .and_then(|()| area.present());
        drawn.expect("a drawing in memory of positive size has no way to fail");
    }
    with_title(&svg, labels.title)
}

fn legend(area: &Area, curves: &[&Curve], dashed: Option<&str>) -> Drawn {
    let line = |rank: usize| 10 + (LEGEND_LINE as i32) * rank as i32 + LEGEND_LINE as i32 / 2;
    let font = ("sans-serif", LETTERS).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
    let text = |words: String, rank: usize| Text::new(words, (130, line(rank)), font.clone());
    for (rank, curve) in curves.iter().enumerate() {
        area.draw(&PathElement::new(vec![(40, line(rank)), (110, line(rank))], pen(curve.rank)))?;
        area.draw(&text(readable(&shorten(curve.method, LONGEST_NAME)), rank))?;
    }
    if let Some(words) = dashed {
        let rank = curves.len();
        for start in [40, 62, 84] {
            let ends = vec![(start, line(rank)), (start + 12, line(rank))];
            area.draw(&PathElement::new(ends, TEXT.stroke_width(PEN)))?;
        }
        area.draw(&text(words.to_owned(), rank))?;
    }
    Ok(())
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

/// The name without characters that SVG does not allow.
fn readable(name: &str) -> String {
    name.chars().map(|symbol| if symbol.is_control() { '?' } else { symbol }).collect()
}
