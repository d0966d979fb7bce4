//! `migopt check`.

use super::arguments::{CheckArguments, StrategyName};
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::input::read_instance;
use super::output::{Content, Printed, deliver};
use check::{ConfigurationFile, Fleet, State, Strategy, Tone, VerdictName};
use cluster::OwnBoards;
use ground::{SourceText, did_you_mean};
use mig::Board;
use std::path::Path;

pub fn run(task: &CheckArguments) -> Result<u8, Failure> {
    let mut files = Files::reading(&task.configuration);
    if let Some(state) = &task.state {
        files = files.and_reading(state);
    }
    let output = files.writing("--output", task.output.as_ref(), Kind::Document)?;
    let file = ConfigurationFile::parse(SourceText::read(&task.configuration)?)?;
    let strategy = task.strategy.map(|name| match name {
        StrategyName::Single => Strategy::Single,
        StrategyName::Mixed => Strategy::Mixed,
    });
    let document = check::check(&file, &fleet(task)?, task.select.as_deref(), strategy)
        .map_err(Failure::of_flag("--select"))?;
    let color = task.screen.screen().color;
    let answer =
        Content::answer(&document, || check::text(&document, &|tone, words| painted(color, tone, words)));
    deliver(
        &answer,
        Printed { format: task.format, quiet: task.quiet },
        [(output, Content::document(&document))],
    )?;
    let is_fine = document.verdict != Some(VerdictName::Impossible) && (!task.strict || document.is_clean());
    Ok(if is_fine { EXIT_PROVED } else { EXIT_INFEASIBLE })
}

/// The nodes on which the configurations are judged.
fn fleet(task: &CheckArguments) -> Result<Fleet, Failure> {
    let board = task.board.as_ref().map(|name| OwnBoards::default().find(name));
    let board = board.transpose().map_err(Failure::of_flag("--board"))?;
    match (&task.state, board) {
        (None, Some(board)) => Ok(Fleet::Like(board, task.gpus)),
        (None, None) => Err(Failure::of_flag("--board")("name the board of the GPUs.".to_owned())),
        (Some(path), board) => {
            let state = state(path, &task.node)?;
            board.map_or(Ok(()), |board| all_are(&state, &board))?;
            Ok(Fleet::Known(state))
        }
    }
}

/// The nodes of an instance, or those of them that are named.
fn state(path: &Path, named: &[String]) -> Result<State, Failure> {
    let instance = read_instance(path)?;
    let mut state = State::of_cluster(&instance.cluster);
    if state.nodes.is_empty() {
        let message =
            format!("{} has no GPUs. Name an instance with those of the nodes.", instance.source.name());
        return Err(Failure::of_flag("--state")(message));
    }
    for name in named {
        if !state.nodes.iter().any(|node| node.name == *name) {
            let guess = did_you_mean(name, state.nodes.iter().map(|node| node.name.as_str()));
            let message = format!("{} has no node \"{name}\"{guess}.", instance.source.name());
            return Err(Failure::of_flag("--node")(message));
        }
    }
    state.nodes.retain(|node| named.is_empty() || named.contains(&node.name));
    Ok(state)
}

/// Holds the board that is named against those of the nodes.
fn all_are(state: &State, board: &Board) -> Result<(), Failure> {
    for node in &state.nodes {
        if let Some(gpu) = node.gpus.iter().find(|gpu| gpu.board.name() != board.name()) {
            let message = format!(
                "GPU {} of --state is on board {}. Leave it out.",
                node.gpu_name(gpu),
                gpu.board.name()
            );
            return Err(Failure::of_flag("--board")(message));
        }
    }
    Ok(())
}

/// Words in the colour of a tone.
fn painted(color: bool, tone: Tone, words: &str) -> String {
    let code = match tone {
        _ if !color => return words.to_owned(),
        Tone::Heading => "1",
        Tone::Good => "32",
        Tone::Doubtful => "33",
        Tone::Bad => "1;31",
    };
    format!("\u{1b}[{code}m{words}\u{1b}[0m")
}
