//! From a problem to a proved, verified answer.

use super::compact::{Flow, Joint, Scope};
use super::exact::{double, rounded_down, rounded_up};
use super::formulation::{Formulation, GOODPUT};
use super::heuristic::heuristic_named;
use super::impossible::impossible;
use super::instance::Problem;
use super::known::Known;
use super::plan::Plan;
use super::printed::Printed;
use super::search::{Proof, Search, meets, upper_bound};
use super::verify::{Score, Verification};
use crate::milp::{Program, StopReason, Work};
use crate::model::{FormulationEntry, SenseName, SolveError, SolveOptions, StageDocument, Status, gap};
use crate::solver::{Control, solve_stages};
use std::time::Instant;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[FormulationEntry] = &[
    FormulationEntry {
        name: "compact",
        summary: "prices on the GPU's slices, a dynamic program and a flow of what they leave open, proved equal to the printed program; for hours",
    },
    FormulationEntry {
        name: "printed",
        summary: "the paper's program (1a)-(12), repaired; for windows of a few slots",
    },
];

/// The answer to a problem, with the best plan and what the verifier found.
pub type Solved = crate::model::Solved<(Plan, Verification)>;

/// The whole program of the named formulation.
pub fn program(problem: &Problem, name: &str) -> Program {
    match name {
        "printed" => Printed::new(problem).program().clone(),
        _ => Flow::new(&Joint::new(problem), Scope::Whole, true).program().clone(),
    }
}

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the warm start does not apply, and when the solver fails or its answer does not pass the verifier.
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
    let mut build_seconds = 0.0;
    let proof = match name {
        "printed" => {
            let printed = Printed::new(problem);
            build_seconds = began.elapsed().as_secs_f64();
            by_printed(&printed, options, control, began, &mut known)?
        }
        _ => Search::new(problem, options, control, began).run(&mut known)?,
    };
    conclude(name, known, proof, build_seconds, began)
}

/// Solves the printed program.
fn by_printed(
    printed: &Printed<'_>,
    options: &SolveOptions,
    control: &Control,
    began: Instant,
    known: &mut Known<'_>,
) -> Result<Proof, SolveError> {
    let start = known.plan().and_then(|plan| printed.encode(plan));
    let solver_options = options.for_solver(began, start);
    let staged = solve_stages(options.solver, printed.program(), &solver_options, control);
    let solver = options.solver.name();
    if let StopReason::SolverError(words) = &staged.stop {
        return Err(SolveError::Internal(format!("{solver} failed: {words}")));
    }
    if let Some(columns) = &staged.columns
        && !known.offer(printed.decode(columns))
    {
        return Err(SolveError::Internal(format!("{solver} gave a plan that breaks a rule")));
    }
    let stage = &staged.stages[0];
    let goodput = known.goodput();
    let mut bound = stage.bound.filter(|bound| bound.is_finite()).map(upper_bound);
    if let (true, Some(goodput), Some(claimed)) = (stage.proved, goodput, stage.value) {
        // What the solver's tolerance leaves open of an optimum.
        if (claimed - double(goodput)).abs() > 1e-6 * claimed.abs().max(1.0) {
            let found = double(goodput);
            let text = format!("{solver} claims a goodput of {claimed}, the verifier finds {found}");
            return Err(SolveError::Internal(text));
        }
        bound = Some(goodput);
    }
    Ok(Proof { bound, stop: staged.stop, work: staged.work, notes: Vec::new() })
}

fn conclude(
    formulation: &'static str,
    known: Known<'_>,
    proof: Proof,
    build_seconds: f64,
    began: Instant,
) -> Result<Solved, SolveError> {
    let goodput = known.goodput();
    let met = matches!((goodput, proof.bound), (Some(goodput), Some(bound)) if meets(goodput, bound));
    let stage = StageDocument {
        name: GOODPUT.to_owned(),
        sense: SenseName::Maximize,
        value: goodput.map(rounded_down),
        bound: if met { goodput.map(rounded_down) } else { proof.bound.map(rounded_up) },
    };
    let stages = vec![stage];
    let gap = gap(&stages);
    let mut notes = proof.notes;
    if goodput.is_none() {
        notes.push("no plan was found before the limit".to_owned());
    }
    Ok(Solved {
        formulation,
        status: Status::of(met, &proof.stop)?,
        reason: None,
        stages,
        gap,
        work: proof.work,
        build_seconds,
        solve_seconds: began.elapsed().as_secs_f64() - build_seconds,
        best: known.into_best(),
        notes,
    })
}

/// The value of the goal, without bound.
pub fn values(score: &Score) -> Vec<StageDocument> {
    vec![StageDocument::without_bound(GOODPUT, SenseName::Maximize, score.goodput)]
}
