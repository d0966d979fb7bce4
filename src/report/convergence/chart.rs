//! The drawing of searches.

use super::search::Search;
use super::time_axis::TimeAxis;
use crate::chart::{CHART_HEIGHT, Drawn, PEN, TEXT, WIDTH, chart, colour, pen, style, with_title};
use crate::legend::{Entry, Mark, with_legend};
use crate::page::numbers;
use itertools::Itertools;
use kit::TracePoint;
use plotters::prelude::*;
use std::ops::Range;

/// Width of a digit of a label, with a little reserve, and the room for the axis's name beside the labels.
const DIGIT: u32 = 19;
const NAME: u32 = 70;
/// Beyond this, digits of a whole number tell nothing any more.
const LARGEST: f64 = 1e9;
/// How far off the values at the end others are drawn, in spans of these.
const SPANS: f64 = 3.0;

/// What a point says of one of the two curves.
type Of = fn(&TracePoint) -> Option<f64>;

/// Draws each search as two curves of steps and a dot at the last value found.
pub(super) fn svg(searches: &[Search], objective: &str, title: &str) -> String {
    let points = searches.iter().flat_map(|search| &search.points);
    let along = TimeAxis::around(points.map(|point| point.seconds));
    let up = extent(searches);
    let span = up.end - up.start;
    let label = |value: &f64| label(*value, span);
    let longest = [up.start, up.end, up.start + 0.3 * span].map(|value| label(&value).chars().count());
    let room = DIGIT * longest.into_iter().max().unwrap_or(0) as u32 + NAME;
    let svg = with_legend((WIDTH, CHART_HEIGHT), &entries(searches), 1, |area| -> Drawn {
        let time = along.title();
        let mut builder = chart(area);
        let mut chart = builder.y_label_area_size(room).build_cartesian_2d(along, up.clone())?;
        let mut mesh = chart.configure_mesh();
        style(&mut mesh, time, objective, &label)?;
        for search in searches {
            let (found, bound) = pens(search);
            chart.draw_series(DashedLineSeries::new(steps(search, bound_of, &up), 12, 10, bound))?;
            let corners = steps(search, value_of, &up);
            let dot = corners.last().copied();
            chart.draw_series(LineSeries::new(corners, found))?;
            chart.draw_series(dot.map(|end| Circle::new(end, 2 * PEN, found.color.filled())))?;
        }
        Ok(())
    });
    with_title(&svg, title)
}

fn value_of(point: &TracePoint) -> Option<f64> {
    point.incumbent.filter(|value| value.is_finite())
}

fn bound_of(point: &TracePoint) -> Option<f64> {
    point.bound.filter(|bound| bound.is_finite())
}

/// The lines of the best solution and of the bound: of one colour where methods are compared, else of two.
fn pens(search: &Search) -> (ShapeStyle, ShapeStyle) {
    match search.method {
        Some(_) => (pen(search.rank), pen(search.rank)),
        None => (pen(0), colour(1).stroke_width(PEN)),
    }
}

fn entries(searches: &[Search]) -> Vec<Entry> {
    let entry = |words: &str, mark: Mark| Entry { words: words.to_owned(), mark };
    let named = searches.iter().filter_map(|search| Some((search, search.method?)));
    let mut entries: Vec<Entry> =
        named.map(|(search, method)| entry(method, Mark::Solid(pens(search).0))).collect();
    match searches.first().filter(|_| entries.is_empty()) {
        Some(search) => {
            let (found, bound) = pens(search);
            entries.push(entry("best solution", Mark::Solid(found)));
            entries.push(entry("bound", Mark::Dashed(bound)));
        }
        None => entries.push(entry("dashed: bound", Mark::Dashed(TEXT.stroke_width(PEN)))),
    }
    entries
}

/// The values that are drawn: those of moments at which both a solution and a bound are known, and others not far off.
fn extent(searches: &[Search]) -> Range<f64> {
    let points = || searches.iter().flat_map(|search| &search.points);
    let known = |of: Of| points().filter_map(move |point| of(point));
    let all = || known(value_of).chain(known(bound_of));
    let both = points().filter_map(|point| Some([value_of(point)?, bound_of(point)?])).flatten();
    let hull = both.minmax().into_option().filter(|(least, most)| least < most);
    let (least, most) = match hull {
        Some((least, most)) => {
            let far = SPANS * (most - least);
            let near = all().filter(|value| (least - far..=most + far).contains(value));
            near.minmax().into_option().unwrap_or((least, most))
        }
        None => all().minmax().into_option().unwrap_or((0.0, 1.0)),
    };
    let margin = match most - least {
        0.0 => (0.05 * most.abs()).max(0.5),
        span => 0.05 * span,
    };
    least - margin..most + margin
}

/// The corners of a curve that keeps each value until the next moment.
fn steps(search: &Search, of: Of, up: &Range<f64>) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for point in &search.points {
        let before = corners.last().map(|&(_, value)| value);
        let value = of(point).map(|value| value.clamp(up.start, up.end)).or(before);
        corners.extend(before.filter(|&before| Some(before) != value).map(|before| (point.seconds, before)));
        corners.extend(value.map(|value| (point.seconds, value)));
    }
    corners
}

/// A value on an axis of some length, with as many digits as tell its marks apart.
fn label(value: f64, span: f64) -> String {
    let size = value.abs().max(f64::MIN_POSITIVE);
    // There are about six marks.
    let unit = (span / 6.0).log10().floor();
    if size >= LARGEST {
        let digits = (size.log10().floor() - unit).clamp(1.0, 6.0) as usize;
        return format!("{value:.digits$e}");
    }
    numbers::fixed(value, (-unit).clamp(0.0, 6.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(seconds: f64, incumbent: Option<f64>, bound: Option<f64>) -> TracePoint {
        serde_json::from_value(serde_json::json!({
            "seconds": seconds, "stage": "gpus", "incumbent": incumbent, "bound": bound, "nodes": 0
        }))
        .unwrap()
    }

    fn search(points: &[TracePoint]) -> Search<'_> {
        Search::of(points, "gpus", None, 0)
    }

    #[test]
    fn a_value_holds_until_the_next_one() {
        let points =
            [point(1.0, None, Some(2.0)), point(2.0, Some(9.0), Some(2.0)), point(4.0, Some(5.0), Some(5.0))];
        let up = 0.0..8.0;
        assert_eq!(
            steps(&search(&points), value_of, &up),
            [(2.0, 8.0), (4.0, 8.0), (4.0, 5.0)],
            "from the first solution, cut at the edge"
        );
        assert_eq!(steps(&search(&points), bound_of, &up), [(1.0, 2.0), (2.0, 2.0), (4.0, 2.0), (4.0, 5.0)]);
    }

    #[test]
    fn the_axis_ends_where_the_first_bounds_mean_nothing() {
        let points = [
            point(0.0, Some(40.0), Some(-1e12)),
            point(0.1, None, Some(-1e12)),
            point(0.2, Some(40.0), Some(30.0)),
            point(0.3, Some(36.0), Some(36.0)),
        ];
        // At the first moment both are known.
        assert!(extent(&[search(&points)]).start < -1e12);
        let up = extent(&[search(&points[1..])]);
        assert!(up.start > 29.0 && up.end < 41.0, "{up:?}");
        let up = extent(&[search(&points[3..])]);
        assert!(up.contains(&36.0) && up.end - up.start >= 1.0, "{up:?}");
    }

    #[test]
    fn marks_are_told_apart() {
        assert_eq!([label(1234.0, 400.0), label(12.5, 3.0)], ["1,234", "12.5"]);
        assert_eq!([label(6.866_819_2e22, 1e18), label(6.866_829_2e22, 1e18)], ["6.86682e22", "6.86683e22"]);
    }
}
