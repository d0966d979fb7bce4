//! `migopt show`.

use super::arguments::ShowArguments;
use super::exit::{EXIT_PROVED, Failure, until_exit};
use super::files::{Files, FutureFile, Kind};
use super::format::Format;
use super::input::tell_guess;
use super::output::{print, serialise};
use super::plan_file::{ReadPlan, refuse_instance};
use ground::SourceText;
use models::{AnswerFile, DocumentKind, Instance};
use plan::PlanFile;
use report::{self, Drawing};
use serde_json::Value;

pub fn run(task: &ShowArguments) -> Result<u8, Failure> {
    let mut files = Files::reading(&task.file);
    if let Some(instance) = &task.instance {
        files = files.and_reading(instance);
    }
    let picture = files.writing("--picture", task.picture.as_ref(), Kind::Picture)?;
    let source = SourceText::read(&task.file)?;
    if DocumentKind::of(&source) == DocumentKind::Plan {
        return show_plan(task, picture, &source);
    }
    refuse_instance(task.instance.as_deref())?;
    if task.format != Format::Text && picture.is_none() {
        print(&serialise(&document(source)?, task.format)?)?;
        return Ok(EXIT_PROVED);
    }
    if DocumentKind::of(&source) == DocumentKind::Instance {
        let instance = until_exit(Instance::parse(source)?);
        show(task, picture, until_exit(report::drawing_of_instance(instance)))
    } else {
        let answer = until_exit(AnswerFile::parse(&source)?);
        drop(source);
        show(task, picture, until_exit(report::drawing_of_solution(&answer.solution)))
    }
}

fn show(task: &ShowArguments, picture: Option<FutureFile>, drawing: &Drawing<'_>) -> Result<u8, Failure> {
    match picture {
        Some(file) => file.write(&drawing.svg())?,
        None => {
            let screen = task.screen.screen();
            print(&if task.all { drawing.draw_all(screen) } else { drawing.draw(screen) })?;
        }
    }
    Ok(EXIT_PROVED)
}

/// Draws the cluster round by round.
fn show_plan(task: &ShowArguments, picture: Option<FutureFile>, source: &SourceText) -> Result<u8, Failure> {
    if task.format != Format::Text && picture.is_none() {
        print(&serialise(&source.parse::<PlanFile>()?, task.format)?)?;
        return Ok(EXIT_PROVED);
    }
    let read = ReadPlan::of(source, task.instance.as_deref())?;
    match picture {
        Some(file) => file.write(&read.report().svg())?,
        None => print(&read.report().draw(task.screen.screen(), task.all))?,
    }
    Ok(EXIT_PROVED)
}

/// The solution, or the instance with everything resolved.
fn document(source: SourceText) -> Result<Value, Failure> {
    if DocumentKind::of(&source) == DocumentKind::Instance {
        let instance = Instance::parse(source)?;
        tell_guess(&instance, false);
        return Ok(instance.question()?.document(0));
    }
    Ok(serde_json::to_value(AnswerFile::parse(&source)?.solution).expect("plain data serialises"))
}
