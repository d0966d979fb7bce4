//! `migopt generate`.

use super::arguments::{Format, GenerateArguments};
use super::exit::{EXIT_PROVED, Failure};
use super::output::{FutureFile, print, serialise};
use crate::cluster::did_you_mean;
use crate::mig::{Lookup, catalogue};
use crate::model::wpm::{GeneratorOptions, generate};
use std::path::Path;

pub fn run(task: &GenerateArguments) -> Result<u8, Failure> {
    let board = match catalogue().find(&task.board) {
        Lookup::Found(board) => board,
        Lookup::Unavailable { reason } => {
            return Err(Failure::Input(format!("--board \"{}\" cannot be used: {reason}.", task.board)));
        }
        Lookup::Unknown => {
            let known: Vec<&str> = catalogue().boards().iter().map(|board| board.name()).collect();
            let guess = did_you_mean(&task.board, known.iter().copied());
            let known = known.join(", ");
            let text = format!("--board \"{}\" is not known{guess}. Known boards: {known}.", task.board);
            return Err(Failure::Input(text));
        }
    };
    let to_stdout = task.output == Path::new("-");
    if to_stdout && task.count > 1 {
        return Err(Failure::Input(
            "--output - takes one instance. Drop --count, or name a folder.".to_owned(),
        ));
    }
    if !to_stdout {
        std::fs::create_dir_all(&task.output).map_err(|error| {
            Failure::Input(format!(
                "{}: cannot be created: {error}. Name a folder that you may write to.",
                task.output.display()
            ))
        })?;
    }
    for number in 0..u64::from(task.count) {
        let options = GeneratorOptions {
            gpus: task.gpus,
            seed: task.seed.wrapping_add(number),
            use_case: task.use_case.into(),
            allocated_share: task.allocated,
            newcomer_share: task.newcomers,
            pinned_share: task.pinned,
        };
        let instance = generate(&board, &options);
        let text = serialise(&instance, Format::Yaml)?;
        if to_stdout {
            print(&text)?;
        } else {
            let path = task.output.join(format!("{}.yaml", instance.name));
            FutureFile::prepare(&path)?.write(&text)?;
            print(&format!("{}\n", path.display()))?;
        }
    }
    Ok(EXIT_PROVED)
}
