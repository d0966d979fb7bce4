//! The report on one replay, in its order.

use super::named::Named;
use super::{bound, policies, profiles, reading, series};
use crate::page::{Block, Document, Section};

/// The whole report.
pub(super) fn document(replay: &Named) -> Document {
    let ranks: Vec<&str> = replay.folder.policies.iter().map(|run| run.totals.policy.as_str()).collect();
    let section = |title: &str, blocks: Vec<Block>| Section { title: title.to_owned(), blocks };
    let mut trace = vec![Block::List(reading::facts(&replay.folder.conditions))];
    trace.extend(policies::warnings(replay).into_iter().map(Block::Warning));
    let mut sections = vec![section("Trace and reading", trace)];
    let mut bounds = bound::blocks(replay);
    if replay.folder.bound.is_some() {
        bounds.push(definitions(&bound::DEFINITIONS));
    }
    if !replay.folder.policies.is_empty() {
        let mut table = vec![Block::Table(policies::table(replay)), definitions(&policies::DEFINITIONS)];
        table.extend(bound::figure(replay).map(Block::Figure));
        sections.push(section("Policies", table));
        sections.push(section("Bound", bounds));
        sections.push(section(
            "Over time",
            vec![
                Block::Figure(series::acceptance(replay, &ranks)),
                Block::Figure(series::active(replay, &ranks)),
                Block::Figure(series::active_strict(replay, &ranks)),
            ],
        ));
    } else {
        sections.push(section("Bound", bounds));
    }
    sections.push(section(
        "Profiles",
        vec![
            Block::Table(profiles::table(replay)),
            definitions(&profiles::DEFINITIONS),
            Block::Figure(profiles::figure(replay, &ranks)),
        ],
    ));
    Document {
        title: format!("Replay {}", replay.name),
        introduction: vec![
            "How many virtual machines of a trace each policy accepted without knowing what comes next, beside what \
             is proved possible with full knowledge of the trace."
                .to_owned(),
        ],
        verdict: Vec::new(),
        sections,
    }
}

/// What columns or lines of a table mean.
pub(super) fn definitions(words: &[&str]) -> Block {
    Block::List(words.iter().map(|&words| words.to_owned()).collect())
}
