//! `migopt show`.

use super::arguments::ShowArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::output::{FutureFile, print};
use super::summary::terminal_width;
use super::verify::is_result;
use crate::cluster::SourceText;
use crate::model::wpm::SolutionDocument;
use crate::model::{Instance, ResultDocument};
use crate::report::{self, Picture};
use std::io::IsTerminal;

pub fn run(task: &ShowArguments) -> Result<u8, Failure> {
    let source = SourceText::read(&task.file)?;
    let picture = read_picture(source)?;
    match &task.picture {
        Some(path) => FutureFile::prepare(path)?.write(&report::svg(&picture))?,
        None => {
            let color = std::io::stdout().is_terminal();
            print(&if task.all {
                report::draw_all(&picture, terminal_width(), color)
            } else {
                report::draw(&picture, terminal_width(), color)
            })?;
        }
    }
    Ok(EXIT_PROVED)
}

fn read_picture(source: SourceText) -> Result<Picture, Failure> {
    if is_result(&source) {
        let result: ResultDocument = source.parse()?;
        let solution = result.solution.ok_or_else(|| {
            Failure::Input(format!("{}: this result holds no solution to draw.", source.name()))
        })?;
        return Ok(super::drawing::picture_of_solution(&solution));
    }
    let has_key = |key: &str| {
        source.text().lines().any(|line| line.trim_start_matches(['{', ' ', '"']).starts_with(key))
    };
    if has_key("placement") {
        let solution: SolutionDocument = source.parse()?;
        return Ok(super::drawing::picture_of_solution(&solution));
    }
    let instance = Instance::parse(source)?;
    Ok(super::drawing::picture_of_cluster(&instance.cluster))
}
