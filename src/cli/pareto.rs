//! `migopt pareto`.

use super::arguments::ParetoArguments;
use super::exit::{EXIT_LIMIT, EXIT_PROVED, Failure};
use super::format::Format;
use super::input::read_configured;
use super::output::{FutureFile, format_of, print, serialise};
use super::progress;
use super::solve::solve_options;
use kit::{FrontierDocument, Status};

pub fn run(task: &ParetoArguments) -> Result<u8, Failure> {
    if task.settings.0.iter().any(|(name, _)| name == "objective") {
        let message = "the goals to compare are those of --objectives. Leave it out.";
        return Err(Failure::of_flag("--objective")(message.to_owned()));
    }
    let instance = read_configured(&task.instance, task.model, &task.settings.0)?;
    let options = solve_options(instance.model, &task.solver)?;
    let question = instance.question()?;
    let output = task.output.as_deref().map(FutureFile::prepare).transpose()?;
    let plot = task.plot.as_deref().map(FutureFile::prepare).transpose()?;
    let (control, line) = progress::control(task.quiet);
    let frontier = question.frontier(&task.objectives, &options, &control);
    line.finish_and_clear();
    let frontier = frontier.map_err(|error| Failure::of_solve(error, instance.source.name()))?;
    if let Some(file) = output {
        let format = task.output.as_deref().map_or(Format::Json, format_of);
        file.write(&serialise(&frontier, format)?)?;
    }
    if let Some(file) = plot {
        file.write(&report::frontier_svg(&frontier))?;
    }
    if !task.quiet {
        print(&match task.format {
            Format::Text => text(&frontier),
            Format::Json | Format::Yaml => serialise(&frontier, task.format)?,
        })?;
    }
    Ok(if frontier.status == Status::Optimal { EXIT_PROVED } else { EXIT_LIMIT })
}

fn text(frontier: &FrontierDocument) -> String {
    let complete = match frontier.status {
        Status::Optimal => "all of them (proved)",
        Status::Interrupted => "interrupted: those proved so far",
        _ => "stopped at a limit: those proved so far",
    };
    format!(
        "{}: {} non-dominated points, {complete}\nmodel {}, formulation {}, solver {} {}\n\n{}\n{:.3} s\n",
        frontier.instance,
        frontier.points.len(),
        frontier.model,
        frontier.formulation,
        frontier.solver,
        frontier.solver_version,
        report::frontier_table(frontier),
        frontier.seconds
    )
}
