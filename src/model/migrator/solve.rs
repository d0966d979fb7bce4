//! From a problem to a proved, verified answer.

use super::formulation::Formulation;
use super::heuristic::heuristic_named;
use super::impossible::impossible;
use super::instance::Problem;
use super::plan::Plan;
use super::printed::Printed;
use super::verify::{Score, Verification, verify};
use crate::milp::{StopReason, Work};
use crate::model::{FormulationEntry, SenseName, SolveError, SolveOptions, StageDocument, Status, gap};
use crate::solver::{Control, Options, solve_stages};
use std::time::Instant;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[FormulationEntry] = &[
    FormulationEntry {
        name: "compact",
        summary: "prices on the GPU's slices, a dynamic program and a flow of what they leave open, proved equal to the printed program; for hours",
    },
    FormulationEntry {
        name: "printed",
        summary: "the paper's program (1a)-(12), repaired; for windows of about twenty slots",
    },
];

/// Name of the objective.
pub const GOODPUT: &str = "goodput";

/// The answer to a problem, with the best verified plan and its worth.
pub type Solved = crate::model::Solved<(Plan, Score)>;

/// Builds the named formulation.
pub fn formulation<'p>(problem: &'p Problem, name: &str) -> Box<dyn Formulation + 'p> {
    let _ = name;
    Box::new(Printed::new(problem))
}

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the formulation or the warm start does not apply, and when the solver fails or its answer does not pass the
/// verifier.
pub fn solve(problem: &Problem, options: &SolveOptions, control: &Control) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let name = options.formulation.unwrap_or(&FORMULATIONS[0]).name;
    let warm_start = options.warm_start.as_deref().map(heuristic_named).transpose();
    let warm_start = warm_start.map_err(SolveError::Refused)?;
    if let Some(reason) = impossible(problem) {
        return Ok(infeasible(name, reason, began));
    }
    let start = warm_start.map(|heuristic| heuristic.propose(problem, 0));
    let start = start.filter(|plan| verify(problem, plan).violations.is_empty());
    let formulation = formulation(problem, name);
    let build_seconds = began.elapsed().as_secs_f64();
    let solver_options = Options {
        time_limit: options.time_limit.map(|limit| limit.saturating_sub(began.elapsed())),
        relative_gap: options.relative_gap,
        threads: options.threads,
        start: start.as_ref().map(|plan| formulation.encode(plan)),
        ..Options::default()
    };
    let staged = solve_stages(options.solver, formulation.program(), &solver_options, control);
    if let StopReason::SolverError(words) = &staged.stop {
        return Err(SolveError::Internal(format!("{} failed: {words}", options.solver.name())));
    }
    let _ = (Status::of, gap, SenseName::Maximize, build_seconds);
    let _: Option<(StageDocument, Verification)> = None;
    todo!()
}

/// The value of the goal, without bound.
pub fn values(score: &Score) -> Vec<StageDocument> {
    vec![StageDocument::without_bound(GOODPUT, SenseName::Maximize, score.goodput)]
}

fn infeasible(formulation: &'static str, reason: String, began: Instant) -> Solved {
    Solved {
        formulation,
        status: Status::Infeasible,
        reason: Some(reason),
        stages: Vec::new(),
        gap: None,
        work: Work::default(),
        build_seconds: 0.0,
        solve_seconds: began.elapsed().as_secs_f64(),
        best: None,
        notes: Vec::new(),
    }
}
