//! How value and bound of an objective came together over time: a step chart for one or several searches.

mod chart;
mod search;
mod time_axis;

pub(super) use search::{Search, objectives};
pub(super) use time_axis::power_of_ten;

use super::page::numbers;
use super::page::table::{Cell, Column, Table};
use super::page::{Block, Figure, Section};
use kit::ResultDocument;

/// Moments of a search that the table of numbers lists, at most.
const LISTED: usize = 100;

/// The section on one answer: a figure for each objective that took more than a moment.
pub(super) fn section(result: &ResultDocument) -> Option<Section> {
    let figures = objectives(&result.trace).into_iter().filter_map(|objective| {
        let search = Search::of(&result.trace, objective, None, 0);
        search.is_curve().then(|| Block::Figure(figure(&[search], objective, &result.instance)))
    });
    let blocks: Vec<Block> = figures.collect();
    (!blocks.is_empty()).then(|| Section { title: "Convergence".to_owned(), blocks })
}

/// The chart of an objective's searches, at least one of which is a curve.
pub(super) fn figure(searches: &[Search], objective: &str, instance: &str) -> Figure {
    let several = searches.iter().any(|search| search.method.is_some());
    let lines = if several {
        "Solid: each method's best solution so far; dashed: its bound."
    } else {
        "The best solution so far, and the bound that no solution passes."
    };
    Figure {
        svg: chart::svg(searches, objective, &format!("Convergence of {objective}: {instance}")),
        wide: false,
        caption: format!(
            "{lines} Where both meet, the optimum is proved; a dot marks the last value found. Seconds count from the beginning of \
             the whole search. Values far off those at the end are drawn at the edge."
        ),
        numbers: listed(searches, several, &format!("Convergence of {objective}: {instance}")),
        listed: false,
    }
}

fn listed(searches: &[Search], several: bool, caption: &str) -> Table {
    let value = |value: Option<f64>| {
        value.map_or_else(Cell::none, |value| Cell::number(value, numbers::decimal(value)))
    };
    let lines = searches.iter().flat_map(|search| {
        let stride = search.points.len().div_ceil(LISTED).max(1);
        let last = search.points.len().saturating_sub(1);
        let chosen =
            search.points.iter().enumerate().filter(move |(rank, _)| rank % stride == 0 || *rank == last);
        chosen.map(move |(_, point)| {
            let method = search.method.map(Cell::words);
            let rest = [
                Cell::number(point.seconds, numbers::decimal(point.seconds)),
                value(point.incumbent),
                value(point.bound),
                Cell::count(point.nodes as usize),
            ];
            method.into_iter().chain(rest).collect()
        })
    });
    let columns = ["seconds", "best solution", "bound", "nodes"].map(Column::numbers);
    Table {
        caption: caption.to_owned(),
        columns: several.then(|| Column::words("method")).into_iter().chain(columns).collect(),
        lines: lines.collect(),
    }
}
