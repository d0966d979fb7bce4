//! The non-dominated values of two goals: as a table and as a plot.

use super::chart::{CHART_HEIGHT, Drawn, PEN, WIDTH, chart, pen, style, with_title};
use ground::Amount;
use itertools::Itertools;
use kit::{FrontierDocument, FrontierPoint, GoalEntry, SenseName};
use models::model_named;
use plotters::prelude::*;
use std::ops::Range;

/// The points as a table, with what the model says of the two goals.
pub fn frontier_table(frontier: &FrontierDocument) -> String {
    let direction = |sense| if sense == SenseName::Maximize { "max" } else { "min" };
    let titles =
        frontier.goals.iter().map(|goal| format!("{} ({})", goal.name, direction(goal.sense))).collect_vec();
    let mut text = format!("  {:>20}  {:>20}\n", titles[0], titles[1]);
    for point in &frontier.points {
        let [first, second] = point.values.map(Amount::grouped);
        text += &format!("  {first:>20}  {second:>20}   {}\n", in_words(frontier, point));
    }
    text
}

/// What the model says of the two goals at a point.
fn in_words(frontier: &FrontierDocument, point: &FrontierPoint) -> String {
    let lines = match (model_named(&frontier.model), &point.score) {
        (Ok(model), Some(score)) => model.worth(score, &frontier.about),
        _ => Vec::new(),
    };
    let of_goal = |goal: &GoalEntry| lines.iter().find(|line| line.name == goal.name);
    frontier.goals.iter().filter_map(of_goal).map(|line| line.words.as_str()).join("; ")
}

/// The points as a plot: the second goal along, the first up. What lies beyond the steps is proved impossible.
pub fn frontier_svg(frontier: &FrontierDocument) -> String {
    let [first, second] = &frontier.goals;
    let points: Vec<(f64, f64)> =
        frontier.points.iter().map(|point| (point.values[1].to_f64(), point.values[0].to_f64())).collect();
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, CHART_HEIGHT)).into_drawing_area();
        let drawn = (|| -> Drawn {
            let along = range(points.iter().map(|point| point.0));
            let up = range(points.iter().map(|point| point.1));
            let mut chart = chart(&area).build_cartesian_2d(along, up)?;
            let mut mesh = chart.configure_mesh();
            mesh.x_labels(7).x_label_formatter(&plain);
            style(&mut mesh, &second.name, &first.name, &plain)?;
            chart.draw_series(LineSeries::new(steps(&points), pen(0)))?;
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 2 * PEN, pen(0).filled())))?;
            area.present()
        })();
        drawn.expect("a drawing in memory of positive size has no way to fail");
    }
    let title = format!("Non-dominated values of {} and {}: {}", first.name, second.name, frontier.instance);
    with_title(&svg, &title)
}

/// The points with the corners between them, at which the worse value of each goal of two neighbours meet.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for &(along, up) in points {
        // Going on, the first goal gets worse: until the next point nothing is better than this one's second goal.
        corners.extend(corners.last().map(|&(before, _)| (before, up)));
        corners.push((along, up));
    }
    corners
}

/// The axis around the values, a little longer at both ends.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (least, most) = values.minmax().into_option().unwrap_or((0.0, 1.0));
    let margin = (0.05 * (most - least)).max(0.5);
    least - margin..most + margin
}

fn plain(value: &f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}
