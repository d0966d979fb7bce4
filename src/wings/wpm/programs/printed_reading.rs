//! What the optimum would be worth under the printed reading.

use super::formulations::COMPACT;
use super::solve::solve;
use crate::instance::Problem;
use crate::rules::Score;
use kit::{SolveError, SolveOptions, Status};
use solver::Control;

/// The score of the optimum under the printed reading, where it is proved within the limits.
///
/// # Errors
/// As for [`solve`].
pub fn printed_reading(
    problem: &Problem,
    options: &SolveOptions,
    control: &Control,
) -> Result<Option<Score>, SolveError> {
    let printed = solve(problem, &COMPACT, None, options, control)?;
    let proved = printed.best.filter(|_| printed.status == Status::Optimal);
    Ok(proved.map(|(_, score)| score))
}
