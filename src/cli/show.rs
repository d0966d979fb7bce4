//! `migopt show`.

use super::arguments::ShowArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::input::{Kind, read_answer};
use super::output::{FutureFile, print};
use super::summary::terminal_width;
use crate::cluster::SourceText;
use crate::model::{Instance, SolutionDocument};
use crate::report::{self, Picture};
use std::io::IsTerminal;

pub fn run(task: &ShowArguments) -> Result<u8, Failure> {
    let source = SourceText::read(&task.file)?;
    let picture = read_picture(source)?;
    match &task.picture {
        Some(path) => FutureFile::prepare(path)?.write(&report::svg(&picture))?,
        None => {
            let color = std::io::stdout().is_terminal();
            print(&if task.all_gpus {
                report::draw_all(&picture, terminal_width(), color)
            } else {
                report::draw(&picture, terminal_width(), color)
            })?;
        }
    }
    Ok(EXIT_PROVED)
}

fn read_picture(source: SourceText) -> Result<Picture, Failure> {
    let solution: SolutionDocument = match Kind::of(&source) {
        Kind::Instance => {
            let instance = Instance::parse(source)?;
            return Ok(report::picture_of_cluster(&instance.cluster));
        }
        Kind::Solution => source.parse()?,
        kind @ (Kind::Result | Kind::Proposal) => read_answer(&source, kind)?.solution,
    };
    Ok(report::picture_of_solution(&solution))
}
