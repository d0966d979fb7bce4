//! `migopt import`.

use super::arguments::{ClassChoice, ImportArguments, ImportFlags};
use super::exit::{EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::format::Format;
use super::output::{print, serialise};
use cluster::OwnBoards;
use ground::SourceText;
use inventory::{Classes, InputFile, Options, Rules, files_below};
use std::path::{Path, PathBuf};

pub fn run(task: &ImportArguments) -> Result<u8, Failure> {
    let inputs = found(&task.inputs)?;
    let all = inputs.iter().map(|(path, _)| path).chain(&task.reading.rules);
    let mut files = all.fold(Files::default(), |files, path| files.and_reading(path));
    let lock_path = beside(&task.output);
    let output = files.writing("--output", Some(&task.output), Kind::Document)?;
    let lock = files.writing("--output", Some(&lock_path), Kind::Document)?;
    let inventory = inventory::import(
        read(&inputs, task.reading.node.as_deref())?,
        &options(&task.reading, &task.output)?,
    )?;
    let failed = |error| Failure::Internal(format!("the instance cannot be written: {error}"));
    let instance = inventory.to_yaml().map_err(failed)?;
    let locked = serialise(&inventory.lock(), Format::Json)?;
    for (file, text) in [(output, instance), (lock, locked)] {
        if let Some(file) = file {
            file.write(&text)?;
        }
    }
    if !task.quiet {
        print(&inventory.summary())?;
    }
    Ok(EXIT_PROVED)
}

/// The files that are meant, each with whether it was named by itself.
fn found(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, bool)>, Failure> {
    let mut files = Vec::new();
    for input in inputs {
        if !input.is_dir() {
            files.push((input.clone(), true));
            continue;
        }
        let below = files_below(input).map_err(|error| {
            Failure::Input(format!(
                "{}: the folder cannot be read: {error}. Make it readable.",
                input.display()
            ))
        })?;
        files.extend(below.into_iter().map(|file| (file, false)));
    }
    Ok(files)
}

fn read(inputs: &[(PathBuf, bool)], node: Option<&str>) -> Result<Vec<InputFile>, Failure> {
    let mut files = Vec::new();
    for (path, is_named) in inputs {
        let mut file = InputFile::read(path, *is_named)?;
        if let Some(node) = node {
            file.node = Some(node.to_owned());
        }
        files.push(file);
    }
    Ok(files)
}

fn options(flags: &ImportFlags, output: &Path) -> Result<Options, Failure> {
    let board = flags.board.as_deref().map(|name| OwnBoards::default().find(name)).transpose();
    let rules = flags.rules.as_deref().map(|path| Rules::read(&SourceText::read(path)?)).transpose()?;
    let name = output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Options {
        name,
        board: board.map_err(Failure::of_flag("--board"))?,
        keep_idle: flags.keep_idle,
        classes: match flags.classes {
            ClassChoice::Controller => Classes::Controller,
            ClassChoice::Profile => Classes::Profile,
            ClassChoice::None => Classes::None,
        },
        rules: rules.unwrap_or_default(),
    })
}

/// The lock of an instance file: `cluster.yaml` has `cluster.lock.json`.
pub fn beside(output: &Path) -> PathBuf {
    output.with_extension("lock.json")
}
