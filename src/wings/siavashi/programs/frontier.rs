//! The non-dominated values of two goals.

use super::known::Known;
use super::search::{Search, in_units_of_user};
use super::stage_plan::{StagePlan, coefficient};
use super::staged::Staged;
use crate::Siavashi;
use crate::instance::Problem;
use crate::rules::{Score, why_infeasible};
use crate::section::{GOALS, Goal};
use cluster::Placement;
use kit::{Frontier, SenseName, SolveError, SolveOptions, Status};
use milp::StopReason;
use solver::{Control, Effort};
use std::time::Instant;

/// The non-dominated values of the two goals that a text names.
///
/// # Errors
/// When it names others, and as for [`solve_from`](super::solve_from).
pub fn frontier(
    problem: &Problem,
    formulation: &Staged,
    goals: &str,
    options: &SolveOptions,
    control: &Control,
) -> Result<Frontier<Siavashi>, SolveError> {
    let [first, second] = GOALS.pair(goals).map_err(SolveError::Refused)?;
    let (points, status) =
        points(&problem.with_goals(vec![first, second]), formulation, second, &options.effort, control)?;
    let goals = [first, second].map(|goal| (goal.name(), goal.sense()));
    let values = |score: &Score| [score.goal(first), score.goal(second)];
    let reason = (status == Status::Infeasible).then(|| why_infeasible(problem));
    Ok(Frontier { reason, ..Frontier::new(formulation.name, goals, points, values, status) })
}

/// Placements with the non-dominated values of the two goals of a problem, from the best value of the first one on; and the status,
/// which is [`Status::Optimal`] when the list is complete.
///
/// Each is the lexicographic optimum of the first goal, then the second, among the placements in which the second goal is better
/// than in the one before (the epsilon-constraint method of Haimes et al., 1971); the values are multiples of a unit, so that none
/// is missed.
fn points(
    problem: &Problem,
    formulation: &Staged,
    second: Goal,
    effort: &Effort,
    control: &Control,
) -> Result<(Vec<(Placement, Score)>, Status), SolveError> {
    let began = Instant::now();
    let plan = StagePlan::new(problem);
    let encoding = formulation.build(problem)?;
    let encoding = encoding.as_ref();
    let control = in_units_of_user(control, &plan);
    let step = if second.sense() == SenseName::Minimize { -1.0 } else { 1.0 };
    let mut points: Vec<(Placement, Score)> = Vec::new();
    loop {
        let limit = points.last().map(|(_, score)| coefficient(problem, second, score.goal(second)) + step);
        let search = Search { problem, plan: &plan, encoding, effort, control: &control, began, limit };
        let mut known = Known::new(problem, &plan);
        let found = search.run(&mut known)?;
        match (&found.stop, known.best) {
            (StopReason::Infeasible, _) if points.is_empty() => return Ok((points, Status::Infeasible)),
            (StopReason::Infeasible, _) => return Ok((points, Status::Optimal)),
            (StopReason::Proved, Some(point)) => points.push(point),
            (stop, _) => return Ok((points, Status::of(false, stop)?)),
        }
    }
}
