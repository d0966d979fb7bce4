//! `migopt repack`: from what the tools of a cluster print to the files that apply a plan.

use super::arguments::{ExportArguments, ImportArguments, PlanArguments, RepackArguments};
use super::exit::Failure;
use super::files::make_folder;
use super::format::Format;
use super::import::beside;
use super::output::print;
use super::{apply_files, import, plan};
use std::path::Path;

pub fn run(task: &RepackArguments) -> Result<u8, Failure> {
    check_empty(&task.output)?;
    let (cluster, plan_file) = (task.output.join("cluster.yaml"), task.output.join("plan.json"));
    import::run(&ImportArguments {
        inputs: task.inputs.clone(),
        output: cluster.clone(),
        reading: task.reading.clone(),
        quiet: task.quiet,
    })?;
    pause(task)?;
    let code = plan::run(&PlanArguments {
        instance: cluster.clone(),
        answer: None,
        backend: task.format.backend(),
        wanted: task.wanted.clone(),
        format: Format::Text,
        output: Some(plan_file.clone()),
        report: Some(task.output.join("plan.html")),
        quiet: task.quiet,
    })?;
    if plan_file.exists() {
        pause(task)?;
        apply_files::run(&ExportArguments {
            plan: plan_file,
            lock: beside(&cluster),
            format: task.format,
            output: task.output.join("files"),
            quiet: task.quiet,
        })?;
    }
    Ok(code)
}

/// An empty line between what the steps print.
fn pause(task: &RepackArguments) -> Result<(), Failure> {
    if task.quiet { Ok(()) } else { print("\n") }
}

/// Makes the folder, which may be there if nothing is in it.
fn check_empty(folder: &Path) -> Result<(), Failure> {
    make_folder(folder)?;
    let refused = |what: String| Failure::of_flag("--output")(format!("{}: {what}", folder.display()));
    let mut entries = std::fs::read_dir(folder)
        .map_err(|error| refused(format!("the folder cannot be read: {error}. Name another one.")))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => {
            Err(refused("the folder is not empty, and nothing is overwritten. Name a new one.".to_owned()))
        }
    }
}
