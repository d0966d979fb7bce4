//! The scoreboard: the heuristics of a sweep in their order, with what is more than chance.

mod contest;
mod pairs;
mod ranking;
mod sizes;

use super::group::Group;
use super::numbers;
use super::reference::State;
use crate::page::{Block, Document, Section};
use contest::Contest;

/// Composes the scoreboard: a section for each model with heuristics, and one for definitions.
pub(super) fn of(groups: &[Group], name: &str) -> Document {
    let contests = Contest::all(groups);
    let introduction = "Heuristics against proved optima and proved bounds, model by model. The last section says how each number is \
                        defined.";
    let verdict = match contests.as_slice() {
        [] => vec![Block::Warning("The sweep has no runs of heuristics.".to_owned())],
        contests => vec![Block::List(contests.iter().map(sentence).collect())],
    };
    let mut sections: Vec<Section> = contests.iter().map(section).collect();
    sections.push(definitions());
    Document {
        title: format!("Scoreboard {name}"),
        introduction: vec![introduction.to_owned()],
        verdict,
        sections,
    }
}

/// Who is first.
fn sentence(contest: &Contest) -> String {
    let proved =
        contest.rounds.iter().filter(|round| round.instance.reference.state == State::Proved).count();
    format!(
        "Model {}: {}, on {}, {} of them with a proved optimum; the first is {}.",
        contest.model,
        numbers::counted(contest.methods.len(), "heuristic"),
        numbers::counted(contest.rounds.len(), "instance"),
        numbers::whole(proved),
        contest.methods[0]
    )
}

fn section(contest: &Contest) -> Section {
    let mut blocks = Vec::new();
    if contest.left_out > 0 {
        blocks.push(Block::Warning(format!(
            "{} left out: not all heuristics have a run there, there is no solution, or rows contradict each other.",
            numbers::counted(contest.left_out, "instance")
        )));
    }
    if !contest.rounds.is_empty() {
        blocks.push(Block::Table(ranking::table(contest)));
        let more = [("By size", sizes::table(contest)), ("Pairs", pairs::table(contest))];
        for (heading, table) in more {
            if let Some(table) = table {
                blocks.extend([Block::Heading(heading), Block::Table(table)]);
            }
        }
    }
    Section { title: format!("Model {}", contest.model), blocks }
}

fn definitions() -> Section {
    let entries =
        [("Ranking", ranking::EXPLANATION), ("By size", sizes::EXPLANATION), ("Pairs", pairs::EXPLANATION)];
    let blocks = entries.into_iter();
    let blocks =
        blocks.flat_map(|(heading, words)| [Block::Heading(heading), Block::Paragraph(words.to_owned())]);
    Section { title: "Definitions".to_owned(), blocks: blocks.collect() }
}
