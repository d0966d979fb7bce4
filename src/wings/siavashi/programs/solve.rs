//! From a problem to a proved, verified answer.

use super::known::Known;
use super::priced::{ByPrices, End};
use super::search::{Found, Search, amount, in_units_of_user};
use super::stage_plan::StagePlan;
use super::staged::Staged;
use crate::instance::Problem;
use crate::rules::{Score, asked_stages, sense, stage_name, why_infeasible, worth};
use crate::section::Goal;
use cluster::Placement;
use ground::{Amount, counted, name_some};
use kit::{SolveError, SolveOptions, StageDocument, Status, gap};
use milp::StopReason;
use solver::Control;
use std::time::Instant;

/// The answer to a problem, with the best verified placement and its worth.
pub type Solved = kit::Solved<(Placement, Score)>;

/// Solves a problem to proved optimality, or as far as the limits allow. The solver starts from the best of `known_placements`, and
/// no worse one is returned; those that break a rule are passed over.
///
/// # Errors
/// When the formulation does not apply, and when the solver fails or its answer does not pass the verifier.
pub fn solve_from(
    problem: &Problem,
    formulation: &Staged,
    known_placements: Vec<Placement>,
    options: &SolveOptions,
    control: &Control,
) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let plan = StagePlan::new(problem);
    let encoding = formulation.build(problem)?;
    let mut known = Known::new(problem, &plan, None);
    known.offer(problem.cluster.current_placement());
    known_placements.into_iter().for_each(|placement| known.offer(placement));
    let build_seconds = began.elapsed().as_secs_f64();

    let control = in_units_of_user(control, &plan);
    let (encoding, effort) = (encoding.as_ref(), &options.effort);
    let stages = plan.stages().len();
    let search =
        Search { problem, plan: &plan, encoding, effort, control: &control, began, stages, limit: None };
    let found = search.run(&mut known)?;
    if found.stop == StopReason::Infeasible && problem.has_rules() {
        let notes = notes(problem, formulation.name, &found);
        let reason = why_infeasible(problem);
        return Ok(Solved { notes, ..Solved::infeasible(formulation.name, reason, found.work, began) });
    }
    let best = known.best;
    let stages = stage_documents(problem, &plan, &found, best.as_ref().map(|(_, score)| score));
    let gap = gap(&stages);
    let all_proved =
        found.stages.len() == plan.stages().len() && found.stages.iter().all(|stage| stage.proved);
    let met = gap == Some(0.0) && (all_proved || found.stop == StopReason::GapLimit);
    Ok(Solved {
        formulation: formulation.name,
        status: Status::of(met, &found.stop)?,
        reason: None,
        stages,
        gap,
        work: found.work,
        build_seconds,
        solve_seconds: began.elapsed().as_secs_f64() - build_seconds,
        best,
        notes: notes(problem, formulation.name, &found),
    })
}

/// Remarks about stages that were left to prices, about workloads that can never have a place, and about a formulation that the rules ask
/// for.
fn notes(problem: &Problem, formulation: &str, found: &Found) -> Vec<String> {
    let by_prices = found.by_prices.iter().map(|ByPrices { stage, end, parts, counters }| {
        let parts = parts.name();
        let what = match end {
            End::Proved => "by",
            End::LeftToProgram => "by a program, beside the bound of",
            End::OutOfTime => "left open by",
        };
        format!(
            "{stage} {what} prices of {parts}: {}, {} of {parts}, {}",
            counted(counters.rounds, "round"),
            counted(counters.contents, "content"),
            counted(counters.nodes, "node")
        )
    });
    let mut notes: Vec<String> = by_prices.collect();
    let names: Vec<&str> = problem
        .never_placeable()
        .map(|workload| problem.cluster.workloads[workload.index()].name.as_str())
        .collect();
    if !names.is_empty() {
        let machine = if problem.has_rules() { "machine in service on which they may be" } else { "machine" };
        notes.push(format!(
            "{} can never be placed, as no {machine} has a board for the profile together with the cores and the memory needed: {}",
            counted(names.len(), "workload"),
            name_some(&names)
        ));
    }
    if problem.bounds_disruptions() && formulation == "slots" {
        notes.push(
            "solved by `slots`, since `max_disrupted` limits who may leave its slot and `compact` does not count that".to_owned(),
        );
    }
    notes
}

/// What no placement can be better than, even without solving.
fn trivial_bound(problem: &Problem, stage: Option<Goal>) -> Amount {
    let best = |goal| problem.extent.best(goal);
    match stage {
        None => {
            let sum = problem.weighted_sum().expect("the objective is the weighted sum");
            sum.worth(Goal::Acceptance, best(Goal::Acceptance))
        }
        Some(goal) => best(goal),
    }
}

/// The stages that were asked for, with their bounds.
fn stage_documents(
    problem: &Problem,
    plan: &StagePlan,
    found: &Found,
    score: Option<&Score>,
) -> Vec<StageDocument> {
    let mut reached = true;
    let mut stages = Vec::new();
    for (position, &stage) in plan.stages().iter().enumerate() {
        let result = found.stages.get(position);
        let bound = reached.then(|| match result.and_then(|result| result.bound) {
            Some(bound) => amount(plan, stage, bound),
            None => trivial_bound(problem, stage),
        });
        reached &= result.is_some_and(|result| result.settled);
        stages.push((stage, bound));
    }
    if let Some(sum) = problem.weighted_sum().filter(|_| plan.stages() != asked_stages(problem)) {
        // Solved goal by goal although the weighted sum is asked for: its bound is the sum of the goals' bounds, a goal that was
        // not reached costing at least nothing.
        let bounds = Goal::ALL.map(|goal| stages[goal as usize].1.unwrap_or_default());
        stages = vec![(None, Some(sum.of(bounds)))];
    }
    let document = |(stage, bound)| StageDocument {
        name: stage_name(stage).to_owned(),
        sense: sense(stage),
        value: score.map(|score| worth(problem, stage, score)),
        bound,
    };
    stages.into_iter().map(document).collect()
}
