//! The report on several replays, in its order.

use super::claims::Claims;
use super::named::Named;
use super::single::definitions;
use super::table::{Cell, Column, Table};
use super::{bound, numbers, policies, profiles, reading, series, verdicts};
use crate::page::{Block, Document, Section};

/// The whole report.
pub(super) fn document(name: &str, replays: &[Named], claims: Option<&Claims>) -> Document {
    let ranks = policy_names(replays);
    let mut sections = vec![Section {
        title: "Summary".to_owned(),
        blocks: vec![
            Block::Table(summary(replays)),
            Block::Paragraph("The last section says what each column means.".to_owned()),
        ],
    }];
    sections.extend(claims.map(|claims| verdicts::section(claims, replays)));
    sections.extend(replays.iter().map(|replay| short(replay, &ranks)));
    sections.push(Section {
        title: "Definitions".to_owned(),
        blocks: vec![
            Block::Heading("Policies"),
            definitions(&policies::DEFINITIONS),
            Block::Heading("Bounds"),
            definitions(&bound::DEFINITIONS),
            Block::Heading("Profiles"),
            definitions(&profiles::DEFINITIONS),
        ],
    });
    Document {
        title: format!("Replays {name}"),
        introduction: vec![format!(
            "{}, each under all policies that finished: how many virtual machines each policy accepted without \
             knowing what comes next, beside what is proved possible with full knowledge of the trace.",
            numbers::counted(replays.len(), "replay")
        )],
        verdict: Vec::new(),
        sections,
    }
}

/// All policies, so that one has the same colour in all plots.
fn policy_names<'r>(replays: &[Named<'r>]) -> Vec<&'r str> {
    let mut names: Vec<&str> = Vec::new();
    for run in replays.iter().flat_map(|replay| &replay.folder.policies) {
        if !names.contains(&run.totals.policy.as_str()) {
            names.push(&run.totals.policy);
        }
    }
    names
}

/// A line for each replay and policy.
fn summary(replays: &[Named]) -> Table {
    let mut columns = vec![
        Column::words("replay"),
        Column::words("policy"),
        Column::numbers("accepted"),
        Column::numbers("share in %"),
        Column::numbers("below the bound without migration"),
        Column::numbers("migrations"),
    ];
    columns.extend(["plain", "strict"].map(|kind| Column::numbers(kind).under("area")));
    let lines = replays.iter().flat_map(|replay| {
        replay.folder.policies.iter().map(move |run| {
            let totals = &run.totals;
            let distance = replay.folder.bound.as_ref().map(|bound| {
                let (distance, _) = policies::below(totals.accepted, bound.no_migration.accepted);
                Cell::number(distance as f64, numbers::decimal(distance as f64))
            });
            let mut cells = vec![
                Cell::words(replay.name),
                Cell::words(&totals.policy),
                Cell::count(totals.accepted),
                policies::share(totals),
                distance.unwrap_or(Cell::none()),
                Cell::count(totals.migrations),
            ];
            cells.extend(replay.areas(run).map(|area| Cell::number(area, numbers::fixed(area, 2))));
            cells
        })
    });
    Table { caption: "Replays and policies".to_owned(), columns, lines: lines.collect() }
}

/// A replay without what all of them share.
fn short(replay: &Named, ranks: &[&str]) -> Section {
    let mut blocks = vec![Block::List(reading::facts(&replay.folder.conditions))];
    blocks.extend(policies::warnings(replay).into_iter().map(Block::Warning));
    if !replay.folder.policies.is_empty() {
        blocks.push(Block::Heading("Policies"));
        blocks.push(Block::Table(policies::table(replay)));
        blocks.extend(bound::figure(replay).map(Block::Figure));
        blocks.push(Block::Figure(series::acceptance(replay, ranks)));
        blocks.push(Block::Figure(series::active(replay, ranks)));
    }
    blocks.push(Block::Heading("Bound"));
    blocks.extend(bound::blocks(replay));
    blocks.push(Block::Heading("Profiles"));
    blocks.push(Block::Table(profiles::table(replay)));
    blocks.push(Block::Figure(profiles::figure(replay, ranks)));
    Section { title: format!("Replay {}", replay.name), blocks }
}
