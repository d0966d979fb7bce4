//! From a problem to a proved, verified answer.

use super::compact::Compact;
use super::formulation::{Formulation, Preliminary};
use super::goal::Goal;
use super::heuristic::heuristic_named;
use super::instance::Problem;
use super::objective::{Objective, WEIGHTED};
use super::printed::Printed;
use super::slots::Slots;
use super::verify::{Score, verify};
use crate::cluster::{Amount, Placement};
use crate::milp::{Program, Sense, StopReason, Work};
use crate::model::{
    FormulationEntry, SenseName, SolveError, SolveOptions, StageDocument, Status, agrees, gap, name_some,
};
use crate::solver::{Control, Options, StageResult, Staged, keep_first_stages, level_row, solve_stages};
use std::time::Instant;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[FormulationEntry] = &[
    FormulationEntry {
        name: "compact",
        summary: "counts of like workloads by machine and by GPU, proved equal to the printed program; for hundreds of GPUs",
    },
    FormulationEntry {
        name: "slots",
        summary: "a column for each workload at each start; readable, and chosen by itself when moves of the start cost something",
    },
    FormulationEntry {
        name: "printed",
        summary: "the paper's program (3)-(26), repaired; for about ten workloads",
    },
];

/// The answer to a problem, with the best verified placement and its worth.
pub type Solved = crate::model::Solved<(Placement, Score)>;

/// The formulation that is asked for, or that suits the problem.
pub fn formulation_for(
    problem: &Problem,
    asked: Option<&'static FormulationEntry>,
) -> &'static FormulationEntry {
    asked.unwrap_or_else(|| {
        let name = if problem.starts_cost() { "slots" } else { "compact" };
        FORMULATIONS.iter().find(|entry| entry.name == name).expect("it is in the table")
    })
}

/// Builds the named formulation.
///
/// # Errors
/// When the formulation cannot say what the problem asks.
pub fn build<'a>(problem: &'a Problem, name: &str) -> Result<Box<dyn Formulation + 'a>, SolveError> {
    let refused = |error: &dyn std::fmt::Display| SolveError::Refused(error.to_string());
    Ok(match name {
        "printed" => Box::new(Printed::new(problem).map_err(|error| refused(&error))?),
        "slots" => Box::new(Slots::new(problem)),
        _ => Box::new(Compact::new(problem).map_err(|error| refused(&error))?),
    })
}

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the formulation or the warm start does not apply, and when the solver fails or its answer does not pass the
/// verifier.
pub fn solve(problem: &Problem, options: &SolveOptions, control: &Control) -> Result<Solved, SolveError> {
    solve_from(problem, Vec::new(), options, control)
}

/// Solves a problem as [`solve`] does. `known_placements` are where the solver starts from, and no worse one than the
/// best of them is returned; those that break a rule are passed over.
///
/// # Errors
/// As for [`solve`].
pub fn solve_from(
    problem: &Problem,
    known_placements: Vec<Placement>,
    options: &SolveOptions,
    control: &Control,
) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let name = formulation_for(problem, options.formulation).name;
    let formulation = build(problem, name)?;
    let warm_start = options.warm_start.as_deref().map(heuristic_named).transpose();
    let warm_start = warm_start.map_err(SolveError::Refused)?;
    let mut known = Known { problem, best: None };
    known.offer(problem.cluster.current_placement());
    known_placements.into_iter().for_each(|placement| known.offer(placement));
    if let Some(heuristic) = warm_start {
        known.offer(heuristic.propose(problem, 0));
    }
    let build_seconds = began.elapsed().as_secs_f64();

    let plan = problem.plan.clone();
    let control = control.in_units(move |stage| plan.unit_of_stage(stage).to_f64());
    let run = Run { options, control: &control, began, formulation: formulation.as_ref(), limit: None };
    let found = run.stages(&mut known)?;
    Ok(Solved { formulation: name, build_seconds, ..conclude(problem, known, &found, began, build_seconds)? })
}

/// The best verified placement so far.
struct Known<'p> {
    problem: &'p Problem,
    best: Option<(Placement, Score)>,
}

impl Known<'_> {
    /// Takes a placement that is valid and better.
    fn offer(&mut self, placement: Placement) {
        let verdict = verify(self.problem, &placement);
        let better = |(_, known): &(Placement, Score)| self.is_better(&verdict.score, known);
        if verdict.violations.is_empty() && self.best.as_ref().is_none_or(better) {
            self.best = Some((placement, verdict.score));
        }
    }

    fn is_better(&self, score: &Score, other: &Score) -> bool {
        for &stage in self.problem.plan.stages() {
            let (one, two) = (worth(self.problem, stage, score), worth(self.problem, stage, other));
            if one != two {
                return sense(stage).prefers(one, two);
            }
        }
        false
    }
}

/// What the solver found out about the stages.
struct Found {
    stages: Vec<StageResult>,
    stop: StopReason,
    work: Work,
}

/// One search through the stages.
struct Run<'r> {
    options: &'r SolveOptions,
    control: &'r Control,
    began: Instant,
    formulation: &'r dyn Formulation,
    /// The worst value that the second stage may have, in its units.
    limit: Option<f64>,
}

impl Run<'_> {
    fn stages(&self, known: &mut Known<'_>) -> Result<Found, SolveError> {
        let mut found = Found { stages: Vec::new(), stop: StopReason::Proved, work: Work::default() };
        let mut program = self.limited(self.formulation.program());
        // Without the second stage, a smaller program would not see its limit and prove a first value that is out of reach.
        let sees_limit = |smaller: &Preliminary<'_>| self.limit.is_none() || smaller.program.stages.len() > 1;
        if let Some(Preliminary { program: smaller, decode }) =
            self.formulation.preliminary().filter(sees_limit)
        {
            let smaller = self.limited(smaller);
            let staged =
                solve_stages(self.options.solver, &smaller, &self.solver_options(None), self.control);
            self.accept(known, &mut found, &staged, &decode)?;
            if found.stop != StopReason::Proved {
                return Ok(found);
            }
            let values: Option<Vec<f64>> = staged.stages.iter().map(|stage| stage.value).collect();
            program = keep_first_stages(&program, &values.expect("proved stages have values"));
        }
        if !program.stages.is_empty() {
            let start = known.best.as_ref().map(|(placement, _)| self.formulation.encode(placement));
            let staged =
                solve_stages(self.options.solver, &program, &self.solver_options(start), self.control);
            self.accept(known, &mut found, &staged, &|columns| self.formulation.decode(columns))?;
        }
        Ok(found)
    }

    fn limited(&self, program: &Program) -> Program {
        let mut program = program.clone();
        if let Some((stage, limit)) = program.stages.get(1).zip(self.limit) {
            program.rows.push(level_row("limit", stage, limit));
        }
        program
    }

    fn solver_options(&self, start: Option<Vec<f64>>) -> Options {
        self.options.for_solver(self.began, start)
    }

    /// Passes what the solver found through the verifier, and compares its worth with what the solver claims.
    fn accept(
        &self,
        known: &mut Known<'_>,
        found: &mut Found,
        staged: &Staged,
        decode: &dyn Fn(&[f64]) -> Placement,
    ) -> Result<(), SolveError> {
        if let StopReason::SolverError(words) = &staged.stop {
            return Err(SolveError::Internal(format!("{} failed: {words}", self.options.solver.name())));
        }
        if let Some(columns) = &staged.columns {
            let placement = decode(columns);
            let verdict = verify(known.problem, &placement);
            if let Some(violation) = verdict.violations.first() {
                return Err(SolveError::Internal(format!(
                    "the solver's solution breaks a rule: {violation}"
                )));
            }
            let problem = known.problem;
            let asked = &problem.plan.stages()[found.stages.len()..];
            for (&stage, result) in asked.iter().zip(&staged.stages) {
                let Some(claimed) = result.value else { break };
                if !agrees(result, amount(problem, stage, claimed), worth(problem, stage, &verdict.score))? {
                    break;
                }
            }
            known.offer(placement);
        }
        found.stages.extend(staged.stages.iter().cloned());
        found.stop = staged.stop.clone();
        found.work += staged.work;
        Ok(())
    }
}

/// A non-dominated pair of values of two goals, with a placement that has them.
pub struct Point {
    /// The values.
    pub values: [Amount; 2],
    /// The placement.
    pub placement: Placement,
    /// What it is worth.
    pub score: Score,
}

/// The non-dominated values of the two goals of a problem's plan, from the best value of the first goal on; and the status, which
/// is [`Status::Optimal`] when the list is complete.
///
/// Each point is the lexicographic optimum of the first goal, then the second, among the placements in which the second goal is
/// better than in the point before (the epsilon-constraint method of Haimes et al., 1971); the values are multiples of a unit,
/// so that no point is missed.
///
/// # Errors
/// As for [`solve`].
pub fn frontier(
    problem: &Problem,
    options: &SolveOptions,
    control: &Control,
) -> Result<(&'static str, Vec<Point>, Status), SolveError> {
    let began = Instant::now();
    let &[Some(first), Some(second)] = problem.plan.stages() else {
        return Err(SolveError::Refused(
            "a frontier needs exactly two goals, such as acceptance,hardware".to_owned(),
        ));
    };
    let name = formulation_for(problem, options.formulation).name;
    let formulation = build(problem, name)?;
    let plan = problem.plan.clone();
    let control = control.in_units(move |stage| plan.unit_of_stage(stage).to_f64());
    let mut points: Vec<Point> = Vec::new();
    loop {
        let step = if second.sense() == Sense::Minimize { -1.0 } else { 1.0 };
        let limit = points.last().map(|point| problem.plan.coefficient(second, point.values[1]) + step);
        let run = Run { options, control: &control, began, formulation: formulation.as_ref(), limit };
        let mut known = Known { problem, best: None };
        let found = run.stages(&mut known)?;
        match (&found.stop, known.best) {
            (StopReason::Infeasible, _) => return Ok((name, points, Status::Optimal)),
            (StopReason::Proved, Some((placement, score))) => {
                points.push(Point { values: [score.goal(first), score.goal(second)], placement, score });
            }
            (stop, _) => return Ok((name, points, Status::of(false, stop)?)),
        }
    }
}

fn conclude(
    problem: &Problem,
    known: Known<'_>,
    found: &Found,
    began: Instant,
    build_seconds: f64,
) -> Result<Solved, SolveError> {
    let best = known.best;
    let stages = stage_documents(problem, found, best.as_ref().map(|(_, score)| score));
    let gap = gap(&stages);
    let asked = problem.plan.stages().len();
    let all_proved = found.stages.len() == asked && found.stages.iter().all(|stage| stage.proved);
    let met = gap == Some(0.0) && all_proved;
    Ok(Solved {
        formulation: "",
        status: Status::of(met, &found.stop)?,
        reason: None,
        stages,
        gap,
        work: found.work,
        build_seconds,
        solve_seconds: began.elapsed().as_secs_f64() - build_seconds,
        best,
        notes: notes(problem),
    })
}

/// Remarks about workloads that can never have a place.
fn notes(problem: &Problem) -> Vec<String> {
    let names: Vec<&str> = problem
        .never_placeable()
        .map(|workload| problem.cluster.workloads[workload.index()].name.as_str())
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "{} workload(s) can never be placed, as no machine has a board with their profile together with the cores and the memory \
         that they need: {}",
        names.len(),
        name_some(&names)
    )]
}

fn sense(stage: Option<Goal>) -> SenseName {
    stage.map_or(SenseName::Maximize, |goal| goal.sense().into())
}

fn stage_name(stage: Option<Goal>) -> &'static str {
    stage.map_or(WEIGHTED, Goal::name)
}

fn worth(problem: &Problem, stage: Option<Goal>, score: &Score) -> Amount {
    stage.map_or_else(|| problem.plan.weighted(score.values()), |goal| score.goal(goal))
}

/// A stage's value or bound as an amount.
fn amount(problem: &Problem, stage: Option<Goal>, value: f64) -> Amount {
    problem.plan.unit_of_stage(stage_name(stage)) * value.round() as i128
}

/// The stages that the user asked for: one for the weighted sum even where it was solved goal by goal.
fn asked_stages(problem: &Problem) -> Vec<Option<Goal>> {
    match &problem.objective {
        Objective::Weighted(_) => vec![None],
        Objective::Lexicographic(goals) => goals.iter().copied().map(Some).collect(),
    }
}

/// The values of the objectives, without bounds.
pub fn values(problem: &Problem, score: &Score) -> Vec<StageDocument> {
    let value =
        |stage| StageDocument::without_bound(stage_name(stage), sense(stage), worth(problem, stage, score));
    asked_stages(problem).into_iter().map(value).collect()
}

/// What no placement can be better than, even without solving.
fn trivial_bound(problem: &Problem, stage: Option<Goal>) -> Amount {
    let everything: Amount =
        problem.cluster.workload_indices().map(|workload| problem.acceptance_weight(workload)).sum();
    match stage {
        None => problem.plan.worth(Goal::Acceptance, everything),
        Some(Goal::Acceptance) => everything,
        Some(Goal::Hardware | Goal::Migrations) => Amount::ZERO,
    }
}

fn stage_documents(problem: &Problem, found: &Found, score: Option<&Score>) -> Vec<StageDocument> {
    let mut reached = true;
    let mut stages = Vec::new();
    for (position, &stage) in problem.plan.stages().iter().enumerate() {
        let result = found.stages.get(position);
        let bound = reached.then(|| match result.and_then(|result| result.bound) {
            Some(bound) => amount(problem, stage, bound),
            None => trivial_bound(problem, stage),
        });
        reached &= result.is_some_and(|result| result.proved);
        stages.push((stage, bound));
    }
    if matches!(problem.objective, Objective::Weighted(_)) && problem.plan.stages() != [None] {
        // Solved goal by goal although the weighted sum is asked for: its bound is the sum of the goals' bounds, a goal that was
        // not reached costing at least nothing.
        let bounds = Goal::ALL.map(|goal| stages[goal as usize].1.unwrap_or_default());
        stages = vec![(None, Some(problem.plan.weighted(bounds)))];
    }
    let document = |(stage, bound)| StageDocument {
        name: stage_name(stage).to_owned(),
        sense: sense(stage),
        value: score.map(|score| worth(problem, stage, score)),
        bound,
    };
    stages.into_iter().map(document).collect()
}
