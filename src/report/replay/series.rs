//! Curves over the time of a replay.

use super::named::Named;
use super::numbers;
use super::plots::{self, Level, Series};
use super::reading::DAY;
use super::table::{Cell, Column, Table};
use crate::bars::Labels;
use crate::page::Figure;
use replay::{Hour, PolicyRun};

/// Points of a curve of active hardware, at most: it goes up and down, and more points of many curves hide each other.
const DRAWN: usize = 200;
/// Moments of a curve that its table of numbers lists, at most.
const LISTED: usize = 50;

/// Accepted of arrived so far, with the bounds for the end.
pub(super) fn acceptance(replay: &Named, ranks: &[&str]) -> Figure {
    let arrived = replay.folder.conditions.trace.virtual_machines().max(1) as f64;
    let levels = replay.folder.bound.iter().flat_map(|bound| {
        let level = |name: &str, accepted: usize| Level {
            name: name.to_owned(),
            value: 100.0 * accepted as f64 / arrived,
        };
        [
            level("bound at the end, without migration", bound.no_migration.accepted),
            level("bound at the end, with free migration", bound.free_migration.accepted),
        ]
    });
    let curves = curves(replay, ranks, |run| {
        let mut so_far = (0, 0);
        let share = |hour: &Hour| {
            so_far = (so_far.0 + hour.accepted, so_far.1 + hour.arrived);
            if so_far.1 == 0 { 100.0 } else { 100.0 * so_far.0 as f64 / so_far.1 as f64 }
        };
        run.hours.iter().map(share).collect()
    });
    figure(
        "Acceptance over time",
        "Accepted virtual machines in percent of those that arrived so far, at the end of each interval. Dashed: the proved \
         bounds, which hold for the whole trace, so for the right end of the curves.",
        "accepted so far in %",
        replay,
        &curves,
        &levels.collect::<Vec<_>>(),
    )
}

/// Active hardware, plain.
pub(super) fn active(replay: &Named, ranks: &[&str]) -> Figure {
    let curves = hardware(replay, ranks, |hour| hour.active_gpus + hour.active_hosts);
    figure(
        "Active hardware over time, plain",
        &format!("GPUs in use plus hosts in use in percent of all GPUs and hosts{}", averaged(replay)),
        "active hardware in %",
        replay,
        &curves,
        &[],
    )
}

/// Active hardware with all GPUs of hosts in use.
pub(super) fn active_strict(replay: &Named, ranks: &[&str]) -> Figure {
    let curves = hardware(replay, ranks, |hour| hour.gpus_of_active_hosts + hour.active_hosts);
    figure(
        "Active hardware over time, strict",
        &format!(
            "All GPUs of hosts in use plus hosts in use in percent of all GPUs and hosts{}",
            averaged(replay)
        ),
        "active hardware in %",
        replay,
        &curves,
        &[],
    )
}

fn hardware(replay: &Named, ranks: &[&str], of: fn(&Hour) -> usize) -> Vec<Series> {
    let trace = &replay.folder.conditions.trace;
    let all = (trace.gpus + trace.hosts).max(1) as f64;
    let window = window(replay);
    let mut curves =
        curves(replay, ranks, |run| run.hours.iter().map(|hour| 100.0 * of(hour) as f64 / all).collect());
    for curve in &mut curves {
        let mean = |points: &[(f64, f64)]| {
            let sum: f64 = points.iter().map(|point| point.1).sum();
            (points[points.len() - 1].0, sum / points.len() as f64)
        };
        curve.points = curve.points.chunks(window).map(mean).collect();
    }
    curves
}

/// How many intervals make a point of a curve of active hardware.
fn window(replay: &Named) -> usize {
    let longest = replay.folder.policies.iter().map(|run| run.hours.len()).max();
    longest.unwrap_or(0).div_ceil(DRAWN).max(1)
}

/// When the hardware is counted, as the end of a caption.
fn averaged(replay: &Named) -> String {
    match window(replay) {
        1 => ", at the end of each interval: the lower, the better.".to_owned(),
        more => format!(
            ": the lower, the better. It is counted at the end of each interval; drawn are means of {more} intervals, each at the \
             end of its last one."
        ),
    }
}

/// A curve for each policy through a value for each interval, at its end in days from the first interval.
fn curves(replay: &Named, ranks: &[&str], values: impl Fn(&PolicyRun) -> Vec<f64>) -> Vec<Series> {
    let step = replay.folder.conditions.reading.interval as f64 / DAY;
    let curve = |run: &PolicyRun| {
        let moments = (1..).map(|rank: u32| f64::from(rank) * step);
        Series {
            name: run.totals.policy.clone(),
            rank: ranks.iter().position(|known| *known == run.totals.policy),
            points: moments.zip(values(run)).collect(),
        }
    };
    replay.folder.policies.iter().map(curve).collect()
}

fn figure(
    name: &str,
    caption: &str,
    unit: &str,
    replay: &Named,
    curves: &[Series],
    levels: &[Level],
) -> Figure {
    let labels = Labels {
        title: &format!("{name} by policy: {}", replay.name),
        x: "days from the first interval",
        y: unit,
    };
    Figure {
        svg: plots::over_time(curves, levels, &labels),
        wide: true,
        caption: caption.to_owned(),
        numbers: listed(name, curves),
        listed: false,
    }
}

/// The curves as numbers, at moments of equal distance and at the end.
fn listed(name: &str, curves: &[Series]) -> Table {
    let longest = curves.iter().max_by_key(|curve| curve.points.len()).map_or(&[][..], |curve| &curve.points);
    let stride = longest.len().div_ceil(LISTED).max(1);
    let last = longest.len().saturating_sub(1);
    let chosen = longest.iter().enumerate().filter(|(rank, _)| rank % stride == 0 || *rank == last);
    let lines = chosen.map(|(rank, (day, _))| {
        let cells = curves.iter().map(|curve| match curve.points.get(rank) {
            Some((_, value)) => Cell::number(*value, numbers::fixed(*value, 2)),
            None => Cell::none(),
        });
        [Cell::number(*day, numbers::fixed(*day, 2))].into_iter().chain(cells).collect()
    });
    let policies = curves.iter().map(|curve| Column::numbers(curve.name.clone()));
    Table {
        caption: name.to_owned(),
        columns: [Column::numbers("day")].into_iter().chain(policies).collect(),
        lines: lines.collect(),
    }
}
