//! The non-dominated values of two goals.

use super::encoding::Encoding;
use super::reader::worth;
use super::solve::{solve, whole_flows};
use super::whole::Whole;
use crate::Wpm;
use crate::instance::Problem;
use crate::rules::{Score, Solution, verify};
use crate::section::{GOALS, Goal, Objective};
use kit::{Frontier, SolveError, SolveOptions, Status, agrees};
use milp::{Program, Sense, Stage, StopReason};
use solver::{Control, Staged, level_row, solve_stages};
use std::time::Instant;

/// The non-dominated values of the two goals that a text names. Unless the reward is one of them, every workload must have a place:
/// without any, no GPU is in use and nothing moves.
///
/// Each point is the lexicographic optimum of the first goal, then the second, among the placements in which the second goal is better
/// than in the one before (the epsilon-constraint method of Haimes et al., 1971); the values are multiples of a unit, so that none
/// is missed.
///
/// # Errors
/// When it names others, and as for [`solve`].
pub fn frontier(
    problem: &Problem,
    formulation: &Whole,
    goals: &str,
    options: &SolveOptions,
    control: &Control,
) -> Result<Frontier<Wpm>, SolveError> {
    let [first, second] = GOALS.pair(goals).map_err(SolveError::Refused)?;
    let began = Instant::now();
    let place_all = problem.place_all || ![first, second].contains(&Goal::Reward);
    let objective = Objective::Lexicographic(vec![first, second]);
    let problem = &Problem { objective, place_all, ..problem.clone() };
    let encoding = formulation.build(problem)?;
    let encoding = encoding.as_ref();
    let program = placing_all(encoding);
    let limited = program.stages.last().expect("there are two goals").clone();
    let plan = encoding.plan().clone();
    let control = control.in_units(move |stage| plan.unit_of_stage(stage).to_f64());
    let mut points: Vec<(Solution, Score)> = Vec::new();
    let mut limit = None;
    let (status, reason) = loop {
        let program = limit.map_or_else(|| program.clone(), |value| with_limit(&program, &limited, value));
        let effort = options.effort.options(began, None);
        let staged = solve_stages(options.effort.solver, &program, &effort, &control);
        match (&staged.stop, &staged.columns) {
            (StopReason::Infeasible, _) if points.is_empty() => {
                break why_none(problem, formulation, options, began, &control)?;
            }
            (StopReason::Infeasible, _) => break (Status::Optimal, None),
            (StopReason::Proved, Some(columns)) => {
                limit = Some(next_limit(&staged, &limited)?);
                let columns = whole_flows(encoding, columns, options, &control)?;
                points.push(checked(problem, encoding, &staged, encoding.decode(&columns))?);
            }
            (stop, _) => break (Status::of(false, stop)?, None),
        }
    };
    let goals = [first, second].map(|goal| (goal.name(), goal.sense()));
    let values = |score: &Score| [score.goal(first), score.goal(second)];
    Ok(Frontier { reason, ..Frontier::new(formulation.name, goals, points, values, status) })
}

/// The program with the two goals alone. That every workload is placed is a row, not a goal to start with.
fn placing_all(encoding: &dyn Encoding) -> Program {
    let mut program = encoding.program().clone();
    if encoding.plan().begins_with_pending() {
        let pending = program.stages.remove(0);
        program.rows.push(level_row("place_all", &pending, 0.0));
    }
    program
}

fn with_limit(program: &Program, limited: &Stage, value: f64) -> Program {
    let mut program = program.clone();
    program.rows.push(level_row("limit", limited, value));
    program
}

/// The next better value that the second goal could have.
fn next_limit(staged: &Staged, limited: &Stage) -> Result<f64, SolveError> {
    let value = staged.stages.last().and_then(|stage| stage.value);
    let value = value.ok_or_else(|| SolveError::Internal("a proved stage has no value".to_owned()))?.round();
    let step = limited.step.expect("goals are counted in steps");
    Ok(match limited.sense {
        Sense::Maximize => value + step,
        Sense::Minimize => value - step,
    })
}

/// The solution if it obeys all rules and is worth what the solver claims.
fn checked(
    problem: &Problem,
    encoding: &dyn Encoding,
    staged: &Staged,
    solution: Solution,
) -> Result<(Solution, Score), SolveError> {
    let verdict = verify(problem, &solution);
    if let Some(violation) = verdict.violations.first() {
        return Err(SolveError::Internal(format!("the solver's solution breaks a rule: {violation}")));
    }
    let plan = encoding.plan();
    for (&goal, stage) in plan.stages().iter().zip(&staged.stages) {
        let unit = goal.map_or(plan.unit_of_stage("profit"), |goal| plan.unit(goal));
        let claimed = stage.value.map(|value| unit * value.round() as i128);
        agrees(stage, claimed.unwrap_or_default(), worth(goal, &verdict.score))?;
    }
    Ok((solution, verdict.score))
}

/// Why there is no point at all: some workload must wait.
fn why_none(
    problem: &Problem,
    formulation: &Whole,
    options: &SolveOptions,
    began: Instant,
    control: &Control,
) -> Result<(Status, Option<String>), SolveError> {
    let effort = options.effort.clone().within(options.effort.time_left(began));
    let rest = SolveOptions { effort, ..options.clone() };
    let solved = solve(problem, formulation, None, &rest, control)?;
    match solved.status {
        Status::Optimal | Status::WithinGap => {
            let text = "no placement of all workloads is called feasible, and one was found";
            Err(SolveError::Internal(text.to_owned()))
        }
        status => {
            Ok((status, solved.reason.map(|reason| reason + " Or let `reward` be one of the two goals.")))
        }
    }
}
