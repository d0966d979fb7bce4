//! From a problem to a proved, verified answer.

use super::formulation::Formulation;
use super::goal::{Goal, unit};
use super::heuristic::heuristic_named;
use super::impossible::impossible;
use super::instance::Problem;
use super::packing::Packing;
use super::printed::Printed;
use super::verify::{Score, verify};
use crate::cluster::Amount;
use crate::milp::{StopReason, Work};
use crate::model::{
    FormulationEntry, SenseName, SolveError, SolveOptions, StageDocument, Status, agrees, gap,
};
use crate::solver::{Control, Options, Staged, solve_stages};
use std::time::Instant;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[FormulationEntry] = &[FormulationEntry {
    name: "printed",
    summary: "the paper's program (4)-(9), linearised over the sets of virtual machines with common pages; for about twenty virtual machines",
}];

/// The answer to a problem, with the best verified packing and its worth.
pub type Solved = crate::model::Solved<(Packing, Score)>;

/// Builds the named formulation.
///
/// # Errors
/// When the formulation is too large for the problem.
pub fn formulation<'p>(problem: &'p Problem, name: &str) -> Result<Box<dyn Formulation + 'p>, SolveError> {
    let refused = |error: &dyn std::fmt::Display| SolveError::Refused(error.to_string());
    Ok(match name {
        "printed" => Box::new(Printed::new(problem).map_err(|error| refused(&error))?),
        _ => return Err(SolveError::Refused(format!("model sharing has no formulation {name}"))),
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
        return Ok(infeasible(name, reason, began));
    }
    let mut known = Known::new(problem);
    if let Some(heuristic) = warm_start {
        known.offer(heuristic.propose(problem, 0));
    }
    let formulation = formulation(problem, name)?;
    let build_seconds = began.elapsed().as_secs_f64();
    let start = known.best.as_ref().map(|(packing, _)| formulation.encode(packing));
    let solver_options = Options {
        time_limit: options.time_limit.map(|limit| limit.saturating_sub(began.elapsed())),
        relative_gap: options.relative_gap,
        threads: options.threads,
        seed: 0,
        start,
    };
    let staged = solve_stages(options.solver, formulation.program(), &solver_options, control);
    known.accept(formulation.as_ref(), &staged, options)?;
    let _ = (build_seconds, gap(&[]), Status::of(true, &StopReason::Proved), Work::default(), Amount::ZERO);
    Err(SolveError::Refused("not yet".to_owned()))
}

/// The best verified packing so far.
pub struct Known<'p> {
    problem: &'p Problem,
    /// The packing and its worth.
    pub best: Option<(Packing, Score)>,
}

impl<'p> Known<'p> {
    /// Nothing is known.
    pub fn new(problem: &'p Problem) -> Self {
        Known { problem, best: None }
    }

    /// Takes a packing that is valid and better.
    pub fn offer(&mut self, packing: Packing) {
        let verdict = verify(self.problem, &packing);
        let values = |score: &Score| -> Vec<Amount> {
            self.problem.optimum.goals().iter().map(|&goal| score.goal(goal)).collect()
        };
        let better = |(_, known): &(Packing, Score)| values(&verdict.score) < values(known);
        if verdict.violations.is_empty() && self.best.as_ref().is_none_or(better) {
            self.best = Some((packing, verdict.score));
        }
    }

    fn accept(
        &mut self,
        formulation: &dyn Formulation,
        staged: &Staged,
        options: &SolveOptions,
    ) -> Result<(), SolveError> {
        if let StopReason::SolverError(words) = &staged.stop {
            return Err(SolveError::Internal(format!("{} failed: {words}", options.solver.name())));
        }
        let Some(columns) = &staged.columns else { return Ok(()) };
        let packing = formulation.decode(columns);
        let verdict = verify(self.problem, &packing);
        if let Some(violation) = verdict.violations.first() {
            return Err(SolveError::Internal(format!("the solver's solution breaks a rule: {violation}")));
        }
        for (&goal, result) in self.problem.optimum.goals().iter().zip(&staged.stages) {
            let Some(claimed) = result.value else { break };
            let claimed = unit(self.problem, goal) * claimed.round() as i128;
            if !agrees(result, claimed, verdict.score.goal(goal))? {
                break;
            }
        }
        self.offer(packing);
        Ok(())
    }
}

/// The values of the goals, without bounds.
pub fn values(problem: &Problem, score: &Score) -> Vec<StageDocument> {
    let value =
        |&goal: &Goal| StageDocument::without_bound(goal.name(), SenseName::Minimize, score.goal(goal));
    problem.optimum.goals().iter().map(value).collect()
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
