//! Acceptance by profile: of each policy, and of the best schedule known.

use super::named::Named;
use super::numbers;
use super::plots::{self, Series};
use super::table::{Cell, Column, Table};
use crate::bars::Labels;
use crate::page::Figure;
use replay::ProfileCount;

/// What the columns mean, for readers.
pub(super) const DEFINITIONS: [&str; 2] = [
    "arrived: virtual machines of the trace that ask for the profile.",
    "a policy: how many of these it accepted, and their share in percent. The best schedule is the one that comes with the \
     bound: it knows the whole trace and never migrates.",
];

/// Who accepted what: the policies, then the schedule that comes with the bound.
fn columns<'r>(replay: &Named<'r>) -> Vec<(&'r str, &'r [ProfileCount])> {
    let policies = replay.folder.policies.iter();
    let policies = policies.map(|run| (run.totals.policy.as_str(), run.totals.profiles.as_slice()));
    let schedule =
        replay.folder.bound.iter().map(|bound| ("best schedule", bound.schedule.profiles.as_slice()));
    policies.chain(schedule).collect()
}

/// A line for each profile, and one for all of them.
pub(super) fn table(replay: &Named) -> Table {
    let counts = columns(replay);
    let mut columns = vec![Column::words("profile"), Column::numbers("arrived")];
    for (name, _) in &counts {
        columns.extend(["accepted", "share in %"].map(|what| Column::numbers(what).under(*name)));
    }
    let asked = &replay.folder.conditions.trace.profiles;
    let line = |name: &str, arrived: usize, accepted: &dyn Fn(&[ProfileCount]) -> usize| {
        let mut cells = vec![Cell::words(name), Cell::count(arrived)];
        for (_, profiles) in &counts {
            let accepted = accepted(profiles);
            cells.push(Cell::count(accepted));
            cells.push(
                numbers::percent(accepted, arrived)
                    .map_or(Cell::none(), |(share, text)| Cell::number(share, text)),
            );
        }
        cells
    };
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    for (rank, (profile, arrived)) in asked.iter().enumerate() {
        lines.push(line(profile, *arrived, &|profiles| profiles[rank].accepted));
    }
    lines.push(line("all", replay.folder.conditions.trace.virtual_machines(), &|profiles| {
        profiles.iter().map(|count| count.accepted).sum()
    }));
    Table { caption: "Acceptance by profile".to_owned(), columns, lines }
}

/// The shares as bars.
pub(super) fn figure(replay: &Named, ranks: &[&str]) -> Figure {
    let asked = &replay.folder.conditions.trace.profiles;
    let share = |count: &ProfileCount| match count.arrived {
        0 => 0.0,
        arrived => 100.0 * count.accepted as f64 / arrived as f64,
    };
    let bars: Vec<Series> = columns(replay)
        .into_iter()
        .map(|(name, profiles)| Series {
            name: name.to_owned(),
            rank: ranks.iter().position(|known| *known == name),
            points: profiles.iter().enumerate().map(|(rank, count)| (rank as f64, share(count))).collect(),
        })
        .collect();
    let names: Vec<&str> = asked.iter().map(|(profile, _)| profile.as_str()).collect();
    let labels = Labels {
        title: &format!("Acceptance by profile and policy: {}", replay.name),
        x: "profile",
        y: "accepted in %",
    };
    Figure {
        svg: plots::grouped_bars(&names, &bars, &labels),
        wide: true,
        caption: "Share of the virtual machines of each profile that each policy accepted.".to_owned(),
        numbers: table(replay),
        listed: false,
    }
}
