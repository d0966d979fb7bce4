//! `migopt solve`.

use super::arguments::{SolveArguments, SolverFlags};
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::files::{Files, Kind};
use super::input::read_configured;
use super::output::{Content, Printed, deliver};
use super::{progress, summary};
use kit::{SolveOptions, Status};
use milp::Program;
use models::Model;
use solver::Effort;
use std::path::Path;
use std::time::Instant;

pub fn run(task: &SolveArguments) -> Result<u8, Failure> {
    let began = Instant::now();
    let instance = read_configured(&task.instance, task.model, &task.settings.0, task.quiet)?;
    let mut options = options(task, instance.model)?;
    let question = instance.question()?;
    let read = began.elapsed().as_secs_f64();
    let mut files = Files::reading(&task.instance);
    let output = files.writing("--output", task.output.as_ref(), Kind::Document)?;
    let picture = files.writing("--picture", task.picture.as_ref(), Kind::Picture)?;
    let export = files.writing("--export", task.export.as_ref(), Kind::Program)?;
    let refused = |error| Failure::of_solve(error, instance.source.name());
    if let Some(file) = export {
        let path = file.path();
        if path.extension().is_some_and(|ending| ending == "mod") {
            file.write(&question.nonlinear_program().map_err(refused)?)?;
        } else {
            let program = question.program(question.formulation(options.formulation)).map_err(refused)?;
            write_program(&program, path)?;
        }
    }

    // The limit counts from the start of the process.
    let limit = options.effort.time_limit;
    options.effort = options.effort.within(options.effort.time_left(began));
    let (control, line) = progress::control(task.quiet);
    let solved = question.solve(&options, &control);
    line.finish_and_clear();
    let mut document = solved.map_err(refused)?;
    let drawing_began = Instant::now();
    let drawing = document.solution.as_ref().map(report::drawing_of_solution);
    document.seconds.read = Some(read);
    document.seconds.draw = Some(drawing_began.elapsed().as_secs_f64());
    document.seconds.total = began.elapsed().as_secs_f64();
    if let Some(limit) = limit {
        document.note_overrun(limit);
    }
    let answer = Content::answer(&document, || summary::text(instance.model, &document, drawing.as_ref()));
    let mut written = vec![(output, Content::document(&document))];
    written.extend(drawing.as_ref().map(|drawing| (picture, Content::text(|| drawing.svg()))));
    deliver(&answer, Printed { format: task.format, quiet: task.quiet }, written)?;
    Ok(match document.status {
        Status::Optimal | Status::WithinGap => EXIT_PROVED,
        Status::Infeasible => EXIT_INFEASIBLE,
        Status::TimeLimit | Status::Interrupted | Status::MemoryLimit => EXIT_LIMIT,
    })
}

fn options(task: &SolveArguments, model: &'static dyn Model) -> Result<SolveOptions, Failure> {
    if let Some(heuristic) = &task.warm_start {
        model.check_heuristic(heuristic).map_err(Failure::of_flag("--warm-start"))?;
    }
    let options = solve_options(model, &task.solver)?;
    let effort = Effort { relative_gap: task.gap, ..options.effort };
    Ok(SolveOptions { effort, warm_start: task.warm_start.clone(), remarks: true, ..options })
}

/// The exact options that the flags for every solve ask for.
pub fn solve_options(model: &'static dyn Model, flags: &SolverFlags) -> Result<SolveOptions, Failure> {
    let formulation = flags.formulation.as_deref().map(|name| model.formulation_named(name)).transpose();
    Ok(SolveOptions {
        formulation: formulation.map_err(Failure::of_flag("--formulation"))?,
        ..SolveOptions::new(flags.effort.effort(None)?)
    })
}

/// Writes a program to a file, for which HiGHS is needed.
#[cfg(feature = "highs")]
fn write_program(program: &Program, path: &Path) -> Result<(), Failure> {
    solver::write_program(program, None, path).map_err(|error| Failure::Input(format!("{error}.")))
}

#[cfg(not(feature = "highs"))]
fn write_program(_: &Program, path: &Path) -> Result<(), Failure> {
    Err(Failure::Input(format!(
        "--export: {} would be written by HiGHS, which is not part of this build. Build migopt with its feature `highs`.",
        path.display()
    )))
}
