//! `migopt show`.

use super::arguments::ShowArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::output::print;
use super::summary::terminal_width;
use ground::SourceText;
use models::{AnswerFile, DocumentKind, Instance};
use report::{self, Drawing};
use std::io::IsTerminal;

pub fn run(task: &ShowArguments) -> Result<u8, Failure> {
    let picture = Files::reading(&task.file).writing("--picture", task.picture.as_ref(), Kind::Picture)?;
    let source = SourceText::read(&task.file)?;
    let drawing = read_drawing(source)?;
    match picture {
        Some(file) => file.write(&drawing.svg())?,
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
    if DocumentKind::of(&source) == DocumentKind::Instance {
        let instance = Instance::parse(source)?;
        return Ok(report::drawing_of_instance(&instance));
    }
    Ok(report::drawing_of_solution(&AnswerFile::parse(&source)?.solution))
}
