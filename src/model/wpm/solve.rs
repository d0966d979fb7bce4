//! From a problem to a proved, verified answer.

use super::compact::compact;
use super::exact_index::exact_index;
use super::formulation::Formulation;
use super::heuristic::heuristic_named;
use super::instance::Problem;
use super::objective::Plan;
use super::printed::Printed;
use super::reader::{Reader, Solved};
use super::settings::Goal;
use super::solution::{Reading, Solution};
use super::verify::Score;
use crate::milp::{Program, StopReason};
use crate::model::{FormulationEntry, Heuristic, SolveError, SolveOptions, Status};
use crate::solver::{Control, Options, Request, Settings, solve_stages};
use std::time::Instant;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[FormulationEntry] = &[
    FormulationEntry {
        name: "compact",
        summary: "exact aggregated form of the printed program; its size does not grow with the number of GPUs",
    },
    FormulationEntry {
        name: "exact-index",
        summary: "reuses freed slots and works around pinned instances; chosen by itself when workloads are pinned",
    },
    FormulationEntry {
        name: "printed",
        summary: "the paper's program (2a)-(2k), repaired; for clusters of some ten GPUs",
    },
];

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the formulation or the warm start does not apply, and when the solver fails or its answer does not pass the
/// verifier.
pub fn solve(problem: &Problem, options: &SolveOptions, control: &Control) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let deadline = options.time_limit.map(|limit| began + limit);
    let name = formulation_for(problem, options.formulation).name;
    let formulation = build(problem, name)?;
    let warm_start = options.warm_start.as_deref().map(heuristic_named).transpose();
    let mut notes = Vec::new();
    let start = warm_start.map_err(SolveError::Refused)?.and_then(|heuristic| {
        let start = formulation.encode(&proposal(problem, &*heuristic, formulation.reading()));
        if start.is_none() {
            let text = "the program has no column for something that {} does; the solver started without it";
            notes.push(text.replace("{}", heuristic.name()));
        }
        start
    });
    let build_seconds = began.elapsed().as_secs_f64();

    let began = Instant::now();
    let stage_options = Options {
        time_limit: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
        relative_gap: options.relative_gap,
        node_limit: None,
        threads: options.threads,
        seed: 0,
        start,
    };
    let plan = formulation.plan().clone();
    let in_units = control.in_units(move |stage| plan.unit_of_stage(stage).to_f64());
    let staged = solve_stages(options.solver, formulation.program(), &stage_options, &in_units);
    if let StopReason::SolverError(words) = &staged.stop {
        return Err(SolveError::Internal(format!("{} failed: {words}", options.solver.name())));
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

/// The score of the optimum under the printed reading, where it is proved within the limits.
///
/// # Errors
/// As for [`solve`].
pub fn printed_reading(
    problem: &Problem,
    options: &SolveOptions,
    control: &Control,
) -> Result<Option<Score>, SolveError> {
    let compact = SolveOptions { formulation: Some(formulation_named("compact")), ..options.clone() };
    let printed = solve(problem, &compact, control)?;
    let proved = printed.best.filter(|_| printed.status == Status::Optimal);
    Ok(proved.map(|(_, score)| score))
}

/// The formulation that is asked for, or that suits the problem.
pub fn formulation_for(
    problem: &Problem,
    asked: Option<&'static FormulationEntry>,
) -> &'static FormulationEntry {
    asked.unwrap_or_else(|| match reading_for(problem) {
        Reading::Printed => formulation_named("compact"),
        Reading::ExactIndex => formulation_named("exact-index"),
    })
}

fn formulation_named(name: &str) -> &'static FormulationEntry {
    FORMULATIONS.iter().find(|entry| entry.name == name).expect("it is in the table")
}

/// The reading under which heuristics are judged: that of the formulation which suits the problem.
pub fn reading_for(problem: &Problem) -> Reading {
    if problem.has_pins_to_work_around() { Reading::ExactIndex } else { Reading::Printed }
}

/// Builds the named formulation.
///
/// # Errors
/// When the weights are too fine, or the printed program is not exact on a board.
pub fn build<'a>(problem: &'a Problem, name: &str) -> Result<Box<dyn Formulation + 'a>, SolveError> {
    let plan = Plan::new(problem).map_err(|error| SolveError::Refused(error.to_string()))?;
    Ok(match name {
        "printed" => {
            Box::new(Printed::new(problem, plan).map_err(|error| SolveError::Refused(error.to_string()))?)
        }
        "exact-index" => Box::new(exact_index(problem, plan)),
        _ => Box::new(compact(problem, plan)),
    })
}

/// The heuristic's placement as a solution under a reading.
pub fn proposal(problem: &Problem, heuristic: &dyn Heuristic<Problem>, reading: Reading) -> Solution {
    Solution::from_placement(problem, reading, heuristic.propose(problem, 0))
}

/// Makes the network columns whole: with the integer columns fixed they are a network flow, whose vertices are whole,
/// and the simplex method ends at a vertex. Most often there is nothing to do.
fn whole_flows(
    formulation: &dyn Formulation,
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
    let mut session =
        options.solver.open(program, &Settings::default()).map_err(|failure| failed(failure.to_string()))?;
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
