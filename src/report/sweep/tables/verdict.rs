//! What all instances together say of each method.

use super::super::group::{Group, Instance, Row, is_heuristic};
use super::super::interval::Interval;
use super::super::numbers;
use super::super::reference::State;
use super::super::statistics::{Quartiles, Spread};
use super::super::table::{Cell, Column, Table};
use itertools::Itertools;
use std::collections::BTreeSet;

/// What the columns mean, for readers.
pub(in super::super) const EXPLANATION: &str = "The first table covers all instances, those of different groups together: \
    gaps are relative, and times are wall-clock seconds of one run. The method with the smallest median gap comes first. Numbers \
    in parentheses count runs on instances whose optimum is proved.";

/// A method of a model on all instances.
struct Line<'g> {
    model: &'g str,
    method: &'g str,
    instances: usize,
    failed: usize,
    gap: Option<Spread<Interval>>,
    /// Runs at the optimum, of those on instances whose optimum is proved.
    optimal: (usize, usize),
    seconds: Option<Quartiles>,
    is_heuristic: bool,
}

impl<'g> Line<'g> {
    fn of(groups: &'g [Group], model: &'g str, method: &'g str) -> Self {
        let of_model = || groups.iter().filter(move |group| group.model == model);
        let runs: Vec<(&Instance, &Row)> = of_model().flat_map(|group| group.rows_of(method)).collect();
        let gaps: Vec<Interval> =
            runs.iter().filter_map(|(_, row)| row.gap).map(|gap| gap.relative).collect();
        let proved = || runs.iter().filter(|(instance, _)| instance.reference.state == State::Proved);
        let answered = runs.iter().filter(|(_, row)| !row.failed());
        Line {
            model,
            method,
            instances: runs
                .iter()
                .map(|(instance, _)| instance.rows[0].record.fingerprint.as_str())
                .unique()
                .count(),
            failed: runs.iter().filter(|(_, row)| row.failed()).count(),
            gap: Spread::of_intervals(&gaps),
            optimal: (
                proved().filter(|(_, row)| row.gap.is_some_and(|gap| gap.is_optimal())).count(),
                proved().count(),
            ),
            seconds: Quartiles::of(answered.map(|(_, row)| row.record.seconds).collect()),
            is_heuristic: is_heuristic(of_model(), method),
        }
    }

    /// By which lines are sorted: the smaller, the better.
    fn rank(&self) -> [f64; 3] {
        let gap = |part: fn(&Spread<Interval>) -> Interval| {
            self.gap.as_ref().map_or(f64::INFINITY, |spread| part(spread).sort_key())
        };
        let seconds = self.seconds.map_or(f64::INFINITY, |seconds| seconds.median);
        [gap(|spread| spread.median), gap(|spread| spread.worst), seconds]
    }

    fn cells(&self, by_model: bool, with_failures: bool) -> Vec<Cell> {
        let gap = |part: fn(&Spread<Interval>) -> Interval| match &self.gap {
            None => Cell::none(),
            Some(spread) => Cell::number(part(spread).sort_key(), part(spread).percent()),
        };
        let seconds = |part: fn(&Quartiles) -> f64| match &self.seconds {
            None => Cell::none(),
            Some(seconds) => Cell::number(part(seconds), numbers::decimal(part(seconds))),
        };
        let (optimal, comparable) = self.optimal;
        let share = match comparable {
            0 => Cell::none(),
            all => Cell::number(optimal as f64 / all as f64, numbers::share(optimal, all)),
        };
        let mut cells = vec![Cell::words(self.method), Cell::count(self.instances)];
        if by_model {
            cells.insert(0, Cell::words(self.model));
        }
        cells.extend(with_failures.then(|| Cell::count(self.failed)));
        cells.extend([gap(|spread| spread.median), gap(|spread| spread.worst), share]);
        cells.extend([seconds(|seconds| seconds.median), seconds(|seconds| seconds.greatest)]);
        cells
    }
}

/// All methods, the nearest to the optimum first.
fn lines<'g>(groups: &'g [Group]) -> Vec<Line<'g>> {
    let methods: BTreeSet<(&str, &str)> =
        groups.iter().flat_map(|group| group.methods.iter().map(|&method| (group.model, method))).collect();
    let mut lines: Vec<Line> =
        methods.into_iter().map(|(model, method)| Line::of(groups, model, method)).collect();
    lines.sort_by(|one, other| {
        let pairs = one.rank().into_iter().zip(other.rank());
        let by_rank = pairs.map(|(one, other)| one.total_cmp(&other)).find(|order| order.is_ne());
        one.model.cmp(other.model).then(by_rank.unwrap_or(std::cmp::Ordering::Equal))
    });
    lines
}

/// A line for each method.
pub(in super::super) fn table(groups: &[Group]) -> Table {
    let lines = lines(groups);
    let by_model = lines.iter().map(|line| line.model).unique().count() > 1;
    let with_failures = lines.iter().any(|line| line.failed > 0);
    let mut columns = vec![Column::words("method"), Column::numbers("instances")];
    if by_model {
        columns.insert(0, Column::words("model"));
    }
    columns.extend(with_failures.then(|| Column::numbers("failed runs")));
    columns.extend(["median", "worst"].map(|title| Column::numbers(title).under("gap to the optimum")));
    columns.push(Column::numbers("at the optimum"));
    columns.extend(["median", "longest"].map(|title| Column::numbers(title).under("seconds")));
    let lines = lines.iter().map(|line| line.cells(by_model, with_failures)).collect();
    Table { caption: "All instances".to_owned(), columns, lines }
}

/// The verdict in words: what is proved, and which heuristic is nearest to it.
pub(in super::super) fn sentences(groups: &[Group]) -> String {
    let instances: usize = groups.iter().map(|group| group.instances.len()).sum();
    let states =
        |state: State| groups.iter().filter_map(|group| group.states().get(&state).copied()).sum::<usize>();
    let (proved, infeasible) = (states(State::Proved), states(State::Infeasible));
    let mut sentences = vec![match (proved, instances) {
        (0, _) => format!("No optimum is proved on {}.", numbers::counted(instances, "instance")),
        (1, 1) => "The optimum is proved.".to_owned(),
        (proved, all) if proved == all => format!("All {} optima are proved.", numbers::whole(all)),
        (proved, all) => {
            format!(
                "The optimum is proved on {} of {} instances.",
                numbers::whole(proved),
                numbers::whole(all)
            )
        }
    }];
    if infeasible > 0 {
        sentences.push(format!("{} proved infeasible.", numbers::counted(infeasible, "instance")));
    }
    let lines = lines(groups);
    for model in lines.iter().map(|line| line.model).unique() {
        let heuristics = || lines.iter().filter(|line| line.model == model && line.is_heuristic);
        let Some(line) = heuristics().find(|line| line.gap.is_some()).filter(|_| heuristics().count() > 1)
        else {
            continue;
        };
        let Some(gap) = &line.gap else { continue };
        let of_model = if lines[0].model == lines[lines.len() - 1].model {
            String::new()
        } else {
            format!(" of model {model}")
        };
        sentences.push(format!(
            "Of the {} heuristics{of_model}, {} is nearest: its gap is {} in the median and {} at worst.",
            heuristics().count(),
            line.method,
            gap.median.percent(),
            gap.worst.percent()
        ));
    }
    sentences.join(" ")
}
