//! `migopt solve`.

use super::arguments::{Format, SolveArguments};
use super::exit::{EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_PROVED, Failure};
use super::input::read_instance;
use super::output::{FutureFile, format_of, print, serialise};
use super::{progress, summary};
use crate::model::wpm::heuristic::heuristic_named;
use crate::model::wpm::{self, FORMULATIONS, Plan, SolveOptions};
use crate::model::{Instance, ResultDocument, StatusName};
use crate::report;
use crate::solver::{by_name, write_program};
use std::time::{Duration, Instant};

pub fn run(task: &SolveArguments) -> Result<u8, Failure> {
    let began = Instant::now();
    let problem_of = |instance: &mut Instance| {
        if let Some(objective) = &task.objective {
            instance.wpm.objective = objective.clone();
        }
        if let Some(use_case) = task.use_case {
            instance.wpm.use_case = use_case.into();
        }
        instance.wpm_problem()
    };
    let mut instance = read_instance(&task.instance)?;
    let problem = problem_of(&mut instance)?;
    Plan::new(&problem)
        .map_err(|error| instance.source.error_at_key(&["wpm", "costs"], format!("{error}.")))?;
    let output = task.output.as_deref().map(FutureFile::prepare).transpose()?;
    let picture = task.picture.as_deref().map(FutureFile::prepare).transpose()?;
    let options = SolveOptions {
        formulation: task
            .formulation
            .as_ref()
            .and_then(|name| FORMULATIONS.iter().find(|entry| entry.name == name.as_str())),
        solver: by_name(&task.solver).expect("the command line only takes registered solvers"),
        time_limit: task.time_limit.map(Duration::from_secs_f64),
        relative_gap: task.gap,
        threads: task.threads,
        warm_start: task.warm_start.as_deref().and_then(heuristic_named),
    };
    let refused = |error| Failure::of_solve(error, instance.source.name());
    if let Some(path) = &task.export {
        FutureFile::prepare(path)?;
        let formulation = wpm::build(&problem, wpm::formulation_for(&problem, &options)).map_err(refused)?;
        write_program(formulation.program(), None, path)
            .map_err(|error| Failure::Input(format!("{error}.")))?;
    }

    let (control, line) = progress::control(task.quiet);
    let solved = wpm::solve(&problem, &options, &control);
    line.finish_and_clear();
    let solved = solved.map_err(refused)?;
    let seconds = began.elapsed().as_secs_f64();
    let document = ResultDocument::new(&problem, &instance.fingerprint, options.solver, &solved, seconds);

    if let Some(file) = output {
        let format = task.output.as_deref().map_or(Format::Json, format_of);
        file.write(&serialise(&document, format)?)?;
    }
    let drawing = document.solution.as_ref().map(report::picture_of_solution);
    if let (Some(file), Some(drawing)) = (picture, &drawing) {
        file.write(&report::svg(drawing))?;
    }
    if !task.quiet {
        print(&match task.format {
            Format::Text => summary::text(&document, drawing.as_ref()),
            Format::Json | Format::Yaml => serialise(&document, task.format)?,
        })?;
    }
    Ok(match document.status {
        StatusName::Optimal | StatusName::WithinGap => EXIT_PROVED,
        StatusName::Infeasible => EXIT_INFEASIBLE,
        StatusName::TimeLimit | StatusName::Interrupted | StatusName::MemoryLimit => EXIT_LIMIT,
    })
}
