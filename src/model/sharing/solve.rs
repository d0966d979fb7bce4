//! From a problem to a proved, verified answer.

use super::compact::Compact;
use super::formulation::Formulation;
use super::goal::Goal;
use super::heuristic::heuristic_named;
use super::impossible::impossible;
use super::instance::Problem;
use super::known::Known;
use super::packing::Packing;
use super::power_set::TooManySets;
use super::printed::Printed;
use super::search::{Proof, Search};
use super::to_the_page::solve_to_the_page;
use super::verify::Score;
use crate::cluster::Amount;
use crate::milp::{StopReason, Work};
use crate::model::{FormulationEntry, SenseName, SolveError, SolveOptions, StageDocument, Status, gap};
use crate::solver::Control;
use std::time::Instant;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[FormulationEntry] = &[
    FormulationEntry {
        name: "compact",
        summary: "bounds, page classes and patterns, proved equal to the printed program; for hundreds of virtual machines",
    },
    FormulationEntry {
        name: "printed",
        summary: "the paper's program (4)-(9), linearised over the sets of virtual machines with common pages; for about twenty virtual machines",
    },
];

/// The answer to a problem, with the best verified packing and its worth.
pub type Solved = crate::model::Solved<(Packing, Score)>;

/// Builds the named formulation.
///
/// # Errors
/// When the formulation is too large for the problem.
pub fn formulation<'p>(problem: &'p Problem, name: &str) -> Result<Box<dyn Formulation + 'p>, SolveError> {
    Ok(match name {
        "printed" => {
            let refused = |error: TooManySets| SolveError::Refused(error.to_string());
            Box::new(Printed::new(problem).map_err(refused)?)
        }
        _ => Box::new(Compact::new(problem)),
    })
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
        return Ok(Solved::infeasible(name, reason, Work::default(), began));
    }
    let mut known = Known::new(problem);
    if let Some(heuristic) = warm_start {
        known.offer(heuristic.propose(problem, 0));
    }
    let units: Vec<f64> = Goal::ALL.iter().map(|&goal| problem.unit(goal).to_f64()).collect();
    let control = control.in_units(move |stage| {
        Goal::ALL.iter().position(|goal| goal.name() == stage).map_or(1.0, |position| units[position])
    });
    let mut build_seconds = 0.0;
    let proof = match name {
        "compact" => Search::new(problem, options, &control, began).run(&mut known)?,
        _ => {
            let formulation = formulation(problem, name)?;
            build_seconds = began.elapsed().as_secs_f64();
            by_formulation(problem, formulation.as_ref(), options, &control, began, &mut known)?
        }
    };
    if proof.stop == StopReason::Infeasible {
        let reason = "Each virtual machine fits a server, and all servers together have enough of everything, but the search proved that \
                      no packing keeps every capacity. Add a server, or take virtual machines out.";
        return Ok(Solved::infeasible(name, reason, proof.work, began));
    }
    conclude(problem, name, known, proof, build_seconds, began)
}

/// Solves the whole program of a formulation.
fn by_formulation(
    problem: &Problem,
    formulation: &dyn Formulation,
    options: &SolveOptions,
    control: &Control,
    began: Instant,
    known: &mut Known<'_>,
) -> Result<Proof, SolveError> {
    let start = known.packing().map(|packing| formulation.encode(packing));
    let solver_options = options.for_solver(began, start);
    let (staged, packing) = solve_to_the_page(problem, formulation, options.solver, &solver_options, control);
    if let StopReason::SolverError(words) = &staged.stop {
        return Err(SolveError::Internal(format!("{} failed: {words}", options.solver.name())));
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
        reached &= stage.proved;
    }
    Ok(Proof { bounds, stop: staged.stop, work: staged.work })
}

fn conclude(
    problem: &Problem,
    formulation: &'static str,
    known: Known<'_>,
    proof: Proof,
    build_seconds: f64,
    began: Instant,
) -> Result<Solved, SolveError> {
    let best = known.into_best();
    let stages = problem.optimum.goals().iter().zip(&proof.bounds).map(|(&goal, &bound)| StageDocument {
        name: goal.name().to_owned(),
        sense: SenseName::Minimize,
        value: best.as_ref().map(|(_, score)| score.goal(goal)),
        bound,
    });
    let stages: Vec<StageDocument> = stages.collect();
    let gap = gap(&stages);
    let met = gap == Some(0.0) && proof.stop == StopReason::Proved;
    let note =
        best.is_none().then(|| "no packing of all virtual machines was found before the limit".to_owned());
    Ok(Solved {
        formulation,
        status: Status::of(met, &proof.stop)?,
        reason: None,
        stages,
        gap,
        work: proof.work,
        build_seconds,
        solve_seconds: began.elapsed().as_secs_f64() - build_seconds,
        best,
        notes: note.into_iter().collect(),
    })
}

/// The values of the goals, without bounds.
pub fn values(problem: &Problem, score: &Score) -> Vec<StageDocument> {
    let value =
        |&goal: &Goal| StageDocument::without_bound(goal.name(), SenseName::Minimize, score.goal(goal));
    problem.optimum.goals().iter().map(value).collect()
}
