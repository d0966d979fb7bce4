//! The printed program at work: solved as a whole.

use super::answer::{Proof, upper_bound};
use super::encoding::Encoding;
use super::known::Known;
use super::printed::Printed;
use crate::instance::{Problem, double};
use kit::{SolveError, SolveOptions};
use milp::StopReason;
use solver::{Control, solve_stages};
use std::time::Instant;

/// Looks for the best plan, and for a bound on its goodput; the time limit counts from `began` on.
///
/// # Errors
/// When the solver fails, or its answer does not pass the verifier.
pub fn solve_whole(
    problem: &Problem,
    options: &SolveOptions,
    control: &Control,
    began: Instant,
    known: &mut Known<'_>,
) -> Result<Proof, SolveError> {
    let printed = Printed::new(problem)?;
    let build_seconds = began.elapsed().as_secs_f64();
    let start = known.plan().and_then(|plan| printed.encode(plan));
    let solver_options = options.effort.options(began, start);
    let staged = solve_stages(options.effort.solver, printed.program(), &solver_options, control);
    let solver = options.effort.solver.name();
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
    Ok(Proof { bound, stop: staged.stop, work: staged.work, build_seconds, notes: Vec::new() })
}
