//! From a problem to a proved, verified answer.

use super::exact::double;
use super::formulation::{Formulation, GOODPUT};
use super::heuristic::heuristic_named;
use super::impossible::impossible;
use super::instance::Problem;
use super::plan::Plan;
use super::printed::Printed;
use super::verify::{Score, Verification, verify};
use crate::cluster::Amount;
use crate::milp::{StopReason, Work};
use crate::model::{FormulationEntry, SenseName, SolveError, SolveOptions, StageDocument, Status, gap};
use crate::solver::{Control, Options, StageResult, solve_stages};
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

/// The part of the goodput by which a solver's arithmetic may be wrong.
const TOLERANCE: f64 = 1e-6;
/// Millionths in one.
const MILLIONTHS: f64 = 1e6;

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
    if staged.stop == StopReason::Infeasible {
        let reason = "The search proved that no plan deploys every inference task in every slot and completes every retraining within the \
                      window. Lengthen the window, or take a model out.";
        return Ok(Solved { work: staged.work, ..infeasible(name, reason.to_owned(), began) });
    }
    let claim = &staged.stages[0];
    let best = staged.columns.as_ref().map(|columns| accept(problem, formulation.decode(columns), claim));
    let best = best.transpose()?;
    let value = best.as_ref().map(|(_, score)| score.goodput);
    let bound = match claim.bound {
        _ if claim.proved => value,
        bound => bound.map(|bound| {
            let bound = Amount::from_millionths((bound * MILLIONTHS).ceil() as i128);
            value.map_or(bound, |value| bound.max(value))
        }),
    };
    let stages = vec![StageDocument { name: GOODPUT.to_owned(), sense: SenseName::Maximize, value, bound }];
    let note = best.is_none().then(|| "no plan was found before the limit".to_owned());
    Ok(Solved {
        formulation: name,
        status: Status::of(claim.proved, &staged.stop)?,
        reason: None,
        gap: gap(&stages),
        stages,
        work: staged.work,
        build_seconds,
        solve_seconds: began.elapsed().as_secs_f64() - build_seconds,
        best,
        notes: note.into_iter().collect(),
    })
}

/// Compares what the solver claims about a plan with what the verifier finds.
///
/// # Errors
/// When the plan breaks a rule, is worth less than claimed, or more than a proved optimum.
fn accept(problem: &Problem, plan: Plan, claim: &StageResult) -> Result<(Plan, Score), SolveError> {
    let Verification { violations, score, goodput } = verify(problem, &plan);
    if let Some(violation) = violations.first() {
        return Err(SolveError::Internal(format!("the solver's plan breaks a rule: {violation}")));
    }
    let (verified, claimed) = (double(goodput), claim.value.unwrap_or(f64::NEG_INFINITY));
    let tolerance = TOLERANCE * verified.abs().max(1.0);
    if verified < claimed - tolerance || claim.proved && verified > claimed + tolerance {
        let text =
            format!("the solver claims {} = {claimed}, the verifier finds {}", claim.name, score.goodput);
        return Err(SolveError::Internal(text));
    }
    Ok((plan, score))
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
