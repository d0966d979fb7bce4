//! `migopt generate`.

use super::arguments::{Format, GenerateArguments};
use super::exit::{EXIT_PROVED, Failure};
use super::output::{FutureFile, print, serialise};
use crate::cluster::did_you_mean;
use crate::mig::{Board, Lookup, catalogue};
use crate::model::InstanceFile;
use crate::model::wpm::{GeneratorOptions, generate};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn run(task: &GenerateArguments) -> Result<u8, Failure> {
    let to_stdout = task.output == Path::new("-");
    if to_stdout && task.count > 1 {
        return Err(Failure::Input(
            "--output - takes one instance. Drop --count, or name a folder.".to_owned(),
        ));
    }
    if to_stdout {
        for instance in instances(task)? {
            print(&serialise(&instance, Format::Yaml)?)?;
        }
        return Ok(EXIT_PROVED);
    }
    for path in write_instances(task)? {
        print(&format!("{}\n", path?.display()))?;
    }
    Ok(EXIT_PROVED)
}

/// Writes the instances one by one into the folder; yields their files.
pub fn write_instances(
    task: &GenerateArguments,
) -> Result<impl Iterator<Item = Result<PathBuf, Failure>> + '_, Failure> {
    std::fs::create_dir_all(&task.output).map_err(|error| {
        Failure::Input(format!(
            "{}: cannot be created: {error}. Name a folder that you may write to.",
            task.output.display()
        ))
    })?;
    let write = |instance: InstanceFile| {
        let path = task.output.join(format!("{}.yaml", instance.name));
        FutureFile::prepare(&path)?.write(&serialise(&instance, Format::Yaml)?)?;
        Ok(path)
    };
    Ok(instances(task)?.map(write))
}

fn instances(task: &GenerateArguments) -> Result<impl Iterator<Item = InstanceFile> + '_, Failure> {
    let board = board(&task.board)?;
    Ok((0..u64::from(task.count)).map(move |number| {
        let options = GeneratorOptions {
            gpus: task.gpus,
            seed: task.seed.wrapping_add(number),
            use_case: task.use_case.into(),
            allocated_share: task.allocated,
            newcomer_share: task.newcomers,
            pinned_share: task.pinned,
        };
        generate(&board, &options)
    }))
}

fn board(name: &str) -> Result<Arc<Board>, Failure> {
    match catalogue().find(name) {
        Lookup::Found(board) => Ok(board),
        Lookup::Unavailable { reason } => {
            Err(Failure::Input(format!("--board \"{name}\" cannot be used: {reason}.")))
        }
        Lookup::Unknown => {
            let known: Vec<&str> = catalogue().boards().iter().map(|board| board.name()).collect();
            let guess = did_you_mean(name, known.iter().copied());
            let known = known.join(", ");
            Err(Failure::Input(format!("--board \"{name}\" is not known{guess}. Known boards: {known}.")))
        }
    }
}
