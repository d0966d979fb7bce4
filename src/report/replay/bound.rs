//! What could have been accepted with full knowledge of the trace, and how far each policy is from it.

use super::named::Named;
use super::numbers;
use super::plots;
use super::policies::below;
use super::table::{Cell, Column, Table};
use crate::bars::Labels;
use crate::page::{Block, Figure};
use replay::BoundDocument;

/// What the lines mean, for readers.
pub(super) const DEFINITIONS: [&str; 4] = [
    "bound with free migration: a proved upper limit on the virtual machines that any policy can accept, even \
     one that knows the whole trace and may move running virtual machines at any time for free.",
    "bound without migration: a proved upper limit for any policy that never moves a running virtual machine, even \
     one that knows the whole trace.",
    "best schedule: a plan without migrations, checked moment by moment, so at least that many can be accepted.",
    "remaining gap: the bound without migration less the best schedule, also in percent of the bound; the true maximum lies \
     between the two.",
];

/// The bounds with their proofs, the schedule and the gap; a note where there is none.
pub(super) fn blocks(replay: &Named) -> Vec<Block> {
    match &replay.folder.bound {
        Some(bound) => vec![Block::Table(table(bound, replay))],
        None => {
            let words =
                "The folder holds no bound, so how far the policies are from what was possible is not known.";
            vec![Block::Paragraph(words.to_owned())]
        }
    }
}

fn table(bound: &BoundDocument, replay: &Named) -> Table {
    let arrived = replay.folder.conditions.trace.virtual_machines();
    let percent = |number: usize| {
        numbers::percent(number, arrived).map_or(Cell::none(), |(share, text)| Cell::number(share, text))
    };
    let line = |name: &str, accepted: usize, how: &str| {
        vec![Cell::words(name), Cell::count(accepted), percent(accepted), Cell::words(how)]
    };
    let (gap, gap_percent) = below(bound.schedule.accepted, bound.no_migration.accepted);
    let of_bound = gap_percent.map_or("nothing".to_owned(), |percent| {
        format!("{} % of the bound without migration", numbers::decimal(percent))
    });
    let lines = vec![
        line("bound with free migration", bound.free_migration.accepted, &bound.free_migration.proof),
        line("bound without migration", bound.no_migration.accepted, &bound.no_migration.proof),
        line("best schedule", bound.schedule.accepted, &bound.schedule.found_by),
        line("remaining gap", gap.unsigned_abs() as usize, &of_bound),
    ];
    Table {
        caption: format!("The bound, computed in {} seconds", numbers::decimal(bound.seconds)),
        columns: vec![
            Column::words("quantity"),
            Column::numbers("virtual machines"),
            Column::numbers("of those that arrived, in %"),
            Column::words("how it was proved or found"),
        ],
        lines,
    }
}

/// The distance of every policy to the bounds; nothing without a bound or without policies.
pub(super) fn figure(replay: &Named) -> Option<Figure> {
    let bound = replay.folder.bound.as_ref().filter(|_| !replay.folder.policies.is_empty())?;
    let sides = [bound.no_migration.accepted, bound.free_migration.accepted];
    let distances = replay.folder.policies.iter().map(|run| {
        let to = sides.map(|side| {
            let (distance, percent) = below(run.totals.accepted, side);
            let percent =
                percent.map_or(String::new(), |percent| format!(" ({} %)", numbers::decimal(percent)));
            (distance as f64, format!("{}{percent}", numbers::decimal(distance as f64)))
        });
        (run.totals.policy.as_str(), to)
    });
    let distances: Vec<_> = distances.collect();
    let labels = Labels {
        title: &format!("Distance of every policy to the bounds: {}", replay.name),
        x: "virtual machines below the bound",
        y: "",
    };
    let lines = distances.iter().map(|(policy, to)| {
        let cells = to.iter().map(|(distance, words)| Cell::number(*distance, words.clone()));
        [Cell::words(*policy)].into_iter().chain(cells).collect()
    });
    Some(Figure {
        svg: plots::distances(
            &distances,
            ["to the bound without migration", "to the bound with free migration"],
            &labels,
        ),
        wide: true,
        caption:
            "How many virtual machines fewer than the bounds allow each policy accepted, also in percent of \
                  the bound: the shorter, the better."
                .to_owned(),
        listed: false,
        numbers: Table {
            caption: "Distance to the bounds".to_owned(),
            columns: vec![
                Column::words("policy"),
                Column::numbers("below the bound without migration"),
                Column::numbers("below the bound with free migration"),
            ],
            lines: lines.collect(),
        },
    })
}
