//! `migopt show`.

use super::arguments::ShowArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::input::{Kind, read_answer};
use super::output::{FutureFile, print};
use super::summary::terminal_width;
use crate::cluster::SourceText;
use crate::model::{Instance, SolutionDocument};
use crate::report::{self, Drawing};
use std::io::IsTerminal;

pub fn run(task: &ShowArguments) -> Result<u8, Failure> {
    let source = SourceText::read(&task.file)?;
    let drawing = read_drawing(source)?;
    match &task.picture {
        Some(path) => FutureFile::prepare(path)?.write(&drawing.svg())?,
        None => {
            let color = std::io::stdout().is_terminal();
            print(&if task.all {
                drawing.draw_all(terminal_width(), color)
            } else {
                drawing.draw(terminal_width(), color)
            })?;
        }
    }
    Ok(EXIT_PROVED)
}

fn read_drawing(source: SourceText) -> Result<Drawing, Failure> {
    let solution: SolutionDocument = match Kind::of(&source) {
        Kind::Instance => {
            let instance = Instance::parse(source)?;
            return Ok(report::drawing_of_instance(&instance));
        }
        Kind::Solution => source.parse()?,
        kind @ (Kind::Result | Kind::Proposal) => read_answer(&source, kind)?.solution,
    };
    Ok(report::drawing_of_solution(&solution))
}
