//! From a problem to a proved, verified answer.

use super::encoding::Encoding;
use super::reader::{Reader, Solved};
use super::whole::Whole;
use crate::instance::Problem;
use crate::rules::Solution;
use crate::section::Goal;
use kit::{SolveError, SolveOptions};
use milp::{Program, StopReason};
use solver::{Control, Request, solve_stages};
use std::time::Instant;

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the formulation does not apply, and when the solver fails or its answer does not pass the
/// verifier.
pub fn solve(
    problem: &Problem,
    formulation: &Whole,
    start: Option<&Solution>,
    options: &SolveOptions,
    control: &Control,
) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let name = formulation.name;
    let formulation = formulation.build(problem)?;
    let mut notes = Vec::new();
    let start = start.and_then(|solution| {
        let reading = formulation.reading();
        let start = match solution.reading == reading {
            true => formulation.encode(solution),
            false => {
                formulation.encode(&Solution::from_placement(problem, reading, solution.placement.clone()))
            }
        };
        if start.is_none() {
            let text = "the program has no column for some part of the starting solution; the solver started without it";
            notes.push(text.to_owned());
        }
        start
    });
    let build_seconds = began.elapsed().as_secs_f64();
    let stage_options = options.effort.options(began, start);

    let began = Instant::now();
    let plan = formulation.plan().clone();
    let in_units = control.in_units(move |stage| plan.unit_of_stage(stage).to_f64());
    let staged = solve_stages(options.effort.solver, formulation.program(), &stage_options, &in_units);
    if let StopReason::SolverError(words) = &staged.stop {
        return Err(SolveError::Internal(format!("{} failed: {words}", options.effort.solver.name())));
    }
    let columns = match &staged.columns {
        Some(columns) => Some(whole_flows(formulation.as_ref(), columns, options, control)?),
        None => None,
    };
    let decoded = columns.map(|columns| formulation.decode(&columns));
    let work = staged.work;
    let mut answer =
        Reader { problem, plan: formulation.plan(), staged: &staged }.read(decoded, formulation.reading())?;
    answer.notes.splice(0..0, notes);
    Ok(Solved {
        formulation: name,
        work,
        build_seconds,
        solve_seconds: began.elapsed().as_secs_f64(),
        ..answer
    })
}

/// Makes the network columns whole: with the integer columns fixed they are a network flow, whose vertices are whole,
/// and the simplex method ends at a vertex. Most often there is nothing to do.
pub(super) fn whole_flows(
    formulation: &dyn Encoding,
    columns: &[f64],
    options: &SolveOptions,
    control: &Control,
) -> Result<Vec<f64>, SolveError> {
    let is_whole = |columns: &[f64]| {
        formulation
            .network_columns()
            .iter()
            .all(|&column| (columns[column] - columns[column].round()).abs() < 1e-6)
    };
    if is_whole(columns) {
        return Ok(columns.to_vec());
    }
    let program: &Program = formulation.program();
    let failed = |words: String| SolveError::Internal(format!("the flows could not be made whole: {words}"));
    let mut session = options
        .effort
        .solver
        .open(program, &options.effort.settings)
        .map_err(|failure| failed(failure.to_string()))?;
    for (position, column) in program.columns.iter().enumerate() {
        if column.integer {
            session.set_column_bounds(position, columns[position], columns[position]);
        }
    }
    // The goals depend on the flows in migrations alone; any stage that has them keeps their cost.
    let flows_cost =
        program.stages.iter().find(|stage| stage.name == "profit" || stage.name == Goal::Migrations.name());
    if let Some(stage) = flows_cost {
        session.set_objective(stage);
    }
    let request = Request::relaxation(None, control);
    let outcome = session.solve(&request);
    match outcome.columns {
        Some(columns) if is_whole(&columns) => Ok(columns),
        _ => Err(failed(format!("{:?}", outcome.stop))),
    }
}
