//! From a problem to a proved, verified answer.

use super::encoding::Encoding;
use super::known::Known;
use super::proof::{Proof, Task};
use super::to_the_page::solve_to_the_page;
use super::way::Way;
use crate::instance::Problem;
use crate::rules::{Goal, Packing, Score, impossible};
use ground::Amount;
use kit::{SenseName, SolveError, SolveOptions, StageDocument, Status, gap};
use milp::{StopReason, Work};
use solver::Control;
use std::time::Instant;

/// The answer to a problem, with the best verified packing and its worth.
pub type Solved = kit::Solved<(Packing, Score)>;

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the formulation does not apply, and when the solver fails or its answer does not pass the
/// verifier.
pub fn solve(
    problem: &Problem,
    formulation: &Way,
    start: Option<&Packing>,
    options: &SolveOptions,
    control: &Control,
) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let name = formulation.name;
    if let Some(reason) = impossible(problem) {
        return Ok(Solved::infeasible(name, reason, Work::default(), began));
    }
    let mut known = Known::new(problem);
    if let Some(packing) = start {
        known.offer(packing.clone());
    }
    let units: Vec<f64> = Goal::ALL.iter().map(|&goal| problem.unit(goal).to_f64()).collect();
    let control = control.in_units(move |stage| {
        Goal::ALL.iter().position(|goal| goal.name() == stage).map_or(1.0, |position| units[position])
    });
    let task = Task { problem, options, control: &control, began };
    let proof = formulation.prove(&task, &mut known)?;
    if proof.stop == StopReason::Infeasible {
        let reason = "Each virtual machine fits a server, and all servers together have enough of everything, but the search proved that \
                      no packing keeps every capacity. Add a server, or take virtual machines out.";
        return Ok(Solved::infeasible(name, reason, proof.work, began));
    }
    conclude(&task, name, known, proof)
}

/// Solves the program of the whole problem.
///
/// # Errors
/// When the program is too large, the solver fails, or its answer does not pass the verifier.
pub fn prove_by_program<'t>(
    task: &Task<'t>,
    build: impl Fn(&'t Problem) -> Result<Box<dyn Encoding + 't>, SolveError>,
    known: &mut Known<'_>,
) -> Result<Proof, SolveError> {
    let Task { problem, options, control, began } = *task;
    let encoding = build(problem)?;
    let build_seconds = began.elapsed().as_secs_f64();
    let start = known.packing().map(|packing| encoding.encode(packing));
    let solver_options = options.effort.options(began, start);
    let (staged, packing) =
        solve_to_the_page(problem, encoding.as_ref(), options.effort.solver, &solver_options, control);
    if let StopReason::SolverError(words) = &staged.stop {
        return Err(SolveError::Internal(format!("{} failed: {words}", options.effort.solver.name())));
    }
    let goals = problem.optimum.goals();
    if let Some(packing) = packing {
        known.accept(packing, goals, &staged)?;
    }
    let mut reached = true;
    let mut bounds = Vec::new();
    for (&goal, stage) in goals.iter().zip(&staged.stages) {
        let bound = stage.bound.map_or(Amount::ZERO, |bound| problem.unit(goal) * bound.round() as i128);
        bounds.push(reached.then_some(bound));
        reached &= stage.settled;
    }
    Ok(Proof { bounds, stop: staged.stop, work: staged.work, build_seconds })
}

fn conclude(
    task: &Task<'_>,
    formulation: &'static str,
    known: Known<'_>,
    proof: Proof,
) -> Result<Solved, SolveError> {
    let best = known.into_best();
    let stages =
        task.problem.optimum.goals().iter().zip(&proof.bounds).map(|(&goal, &bound)| StageDocument {
            name: goal.name().to_owned(),
            sense: SenseName::Minimize,
            value: best.as_ref().map(|(_, score)| score.goal(goal)),
            bound,
        });
    let stages: Vec<StageDocument> = stages.collect();
    let gap = gap(&stages);
    let met = gap == Some(0.0) && matches!(proof.stop, StopReason::Proved | StopReason::GapLimit);
    let note =
        best.is_none().then(|| "no packing of all virtual machines was found before the limit".to_owned());
    Ok(Solved {
        formulation,
        status: Status::of(met, &proof.stop)?,
        reason: None,
        stages,
        gap,
        work: proof.work,
        build_seconds: proof.build_seconds,
        solve_seconds: task.began.elapsed().as_secs_f64() - proof.build_seconds,
        best,
        notes: note.into_iter().collect(),
    })
}
