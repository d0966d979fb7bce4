//! `migopt check`.

use super::arguments::{CheckArguments, StrategyName};
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::input::read_instance;
use super::output::{Content, Printed, deliver};
use check::{ConfigurationFile, Fleet, State, Strategy, Tone, VerdictName};
use cluster::OwnBoards;
use ground::SourceText;

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
            let instance = read_instance(path)?;
            let state = State::of_cluster(&instance.cluster);
            let gpus = || state.nodes.iter().flat_map(|node| node.gpus.iter().map(move |gpu| (node, gpu)));
            if gpus().next().is_none() {
                let message =
                    format!("{} has no GPUs. Name an instance with the nodes' GPUs.", instance.source.name());
                return Err(Failure::of_flag("--state")(message));
            }
            let other = board.and_then(|board| gpus().find(|(_, gpu)| gpu.board.name() != board.name()));
            match other {
                None => Ok(Fleet::Known(state)),
                Some((node, gpu)) => {
                    let (name, board) = (node.gpu_name(gpu), gpu.board.name());
                    let message = format!("GPU {name} of --state is a {board}. Leave it out.");
                    Err(Failure::of_flag("--board")(message))
                }
            }
        }
    }
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
