//! From an instance to its proved optimum.

use super::failure::Unsolved;
use super::options::Options;
use super::proved::Proved;
use kit::{ResultDocument, SolutionDocument};
use models::Instance;
use solver::Control;

/// Proves the optimum of an instance's question.
///
/// # Errors
/// When the instance or the options break a rule, when it is proved that there is no solution, when a limit comes before the
/// proof, and when solver and verifier disagree.
pub fn solve(instance: &Instance, options: &Options) -> Result<Proved<SolutionDocument>, Unsolved> {
    Proved::of(answer(instance, options, &Control::silent())?)
}

/// Answers an instance's question as far as the options allow: optimal, infeasible, or stopped with the best verified solution
/// and its bounds, as `migopt solve` does. `control` interrupts the search and hears of its progress.
///
/// # Errors
/// When the instance or the options break a rule, and when solver and verifier disagree.
pub fn answer(instance: &Instance, options: &Options, control: &Control) -> Result<ResultDocument, Unsolved> {
    let options = options.resolve(instance.model)?;
    let question = instance.question()?;
    Ok(question.solve(&options, control)?)
}
