//! The table of policies: acceptance, distance to the bounds, migrations, hardware, proof, time.

use super::named::Named;
use super::numbers;
use super::table::{Cell, Column, Table};
use itertools::Itertools;
use replay::{PolicyDocument, PolicyRun};

/// What the columns mean, for readers.
pub(super) const DEFINITIONS: [&str; 9] = [
    "accepted: virtual machines that got a place when they arrived; all others were rejected for good.",
    "share: accepted virtual machines in percent of those that arrived.",
    "below the bound without migration: how many virtual machines fewer than the proved bound for any policy that never \
     moves a running virtual machine, even one that knows the whole trace; also in percent of that bound. It is negative only \
     for a policy that migrates and so does better than any policy without migrations could.",
    "below the bound with free migration: the same against the proved bound for any policy, even one that may move running \
     virtual machines at any time for free.",
    "migrations: changes of place of running virtual machines, within a GPU or between GPUs.",
    "area, plain: area under the curve of active hardware, in percent times intervals: at the end of each interval, GPUs in use \
     plus hosts in use, in percent of all GPUs and hosts, summed over the intervals. A GPU or host is in use if it \
     holds a virtual machine.",
    "area, strict: the same where every GPU of a host in use counts, whether it holds a virtual machine or not.",
    "not proved: intervals in which at least one program of a policy that plans was not solved to proved optimality, and the \
     greatest relative gap between such a solution and its bound.",
    "seconds: what the policy took for the whole trace, reading and writing left out.",
];

/// A line for each policy.
pub(super) fn table(replay: &Named) -> Table {
    let folder = replay.folder;
    let plans = folder.policies.iter().any(|run| run.totals.planning.is_some());
    let bounds = bounds(replay);
    let mut columns =
        vec![Column::words("policy"), Column::numbers("accepted"), Column::numbers("share in %")];
    for (name, _) in &bounds {
        columns.push(Column::numbers("VMs").under(format!("below the bound {name}")));
        columns.push(Column::numbers("%").under(format!("below the bound {name}")));
    }
    columns.push(Column::numbers("migrations"));
    columns.extend(["plain", "strict"].map(|kind| Column::numbers(kind).under("area")));
    if plans {
        columns.extend(["intervals", "worst gap in %"].map(|what| Column::numbers(what).under("not proved")));
    }
    columns.push(Column::numbers("seconds"));
    let lines = folder.policies.iter().map(|run| {
        let totals = &run.totals;
        let mut cells = vec![Cell::words(&totals.policy), Cell::count(totals.accepted), share(totals)];
        cells.extend(bounds.iter().flat_map(|&(_, bound)| distance(totals.accepted, bound)));
        cells.push(Cell::count(totals.migrations));
        cells.extend(replay.areas(run).map(|area| Cell::number(area, numbers::fixed(area, 2))));
        if plans {
            cells.extend(proof(run));
        }
        cells.push(Cell::number(totals.seconds, numbers::decimal(totals.seconds)));
        cells
    });
    Table { caption: "Policies".to_owned(), columns, lines: lines.collect() }
}

/// Both bounds, if there are any.
fn bounds(replay: &Named) -> Vec<(&'static str, usize)> {
    let bound = replay.folder.bound.iter();
    bound
        .flat_map(|bound| {
            [
                ("without migration", bound.no_migration.accepted),
                ("with free migration", bound.free_migration.accepted),
            ]
        })
        .collect()
}

/// Accepted of arrived in percent.
pub(super) fn share(totals: &PolicyDocument) -> Cell {
    numbers::percent(totals.accepted, totals.arrived)
        .map_or(Cell::none(), |(percent, text)| Cell::number(percent, text))
}

/// How far a number of accepted is below a bound: virtual machines, and percent of the bound.
pub(super) fn below(accepted: usize, bound: usize) -> (i64, Option<f64>) {
    let distance = bound as i64 - accepted as i64;
    (distance, (bound > 0).then(|| 100.0 * distance as f64 / bound as f64))
}

fn distance(accepted: usize, bound: usize) -> [Cell; 2] {
    let (distance, percent) = below(accepted, bound);
    let percent = percent.map_or(Cell::none(), |percent| Cell::number(percent, numbers::decimal(percent)));
    [Cell::number(distance as f64, numbers::decimal(distance as f64)), percent]
}

fn proof(run: &PolicyRun) -> [Cell; 2] {
    let Some(planning) = &run.totals.planning else { return [Cell::none(), Cell::none()] };
    let unproved = run.hours.iter().filter(|hour| hour.unproved > 0).count();
    let gap = planning
        .worst_gap
        .map_or(Cell::none(), |gap| Cell::number(100.0 * gap, numbers::decimal(100.0 * gap)));
    [Cell::count(unproved), gap]
}

/// What makes the numbers mean less than they seem to.
pub(super) fn warnings(replay: &Named) -> Vec<String> {
    let folder = replay.folder;
    let mut warnings = Vec::new();
    if !folder.incomplete.is_empty() {
        warnings.push(format!(
            "{} did not finish and {} left out: {}.",
            numbers::counted(folder.incomplete.len(), "policy folder"),
            if folder.incomplete.len() == 1 { "is" } else { "are" },
            folder.incomplete.join(", ")
        ));
    }
    if folder.policies.is_empty() {
        warnings.push("No policy finished.".to_owned());
    }
    if let Some(bound) = &folder.bound {
        let contradicts = |run: &&PolicyRun| {
            let totals = &run.totals;
            totals.accepted > bound.free_migration.accepted
                || totals.migrations == 0 && totals.accepted > bound.no_migration.accepted
        };
        let names = folder.policies.iter().filter(contradicts).map(|run| run.totals.policy.as_str());
        let names = names.collect_vec();
        if !names.is_empty() {
            warnings.push(format!(
                "Policies accept more than a proved bound allows, so the bound or these results are wrong: {}.",
                names.join(", ")
            ));
        }
    }
    warnings
}
