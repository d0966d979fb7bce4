//! From a problem to a proved, verified answer.

use super::compact::compact;
use super::exact_index::exact_index;
use super::formulation::Formulation;
use super::heuristic::{FirstFit, heuristic_named};
use super::instance::Problem;
use super::objective::Plan;
use super::printed::Printed;
use super::roles::Role;
use super::settings::{Goal, Objective};
use super::solution::{Reading, Solution};
use super::verify::{Score, verify};
use crate::cluster::{Amount, WorkloadIndex};
use crate::milp::{Program, StopReason};
use crate::model::{
    FormulationEntry, Heuristic, SenseName, SolveError, SolveOptions, StageDocument, Status, agrees, gap,
    name_some, unserved,
};
use crate::solver::{Control, Options, Request, Settings, Staged, solve_stages};
use std::collections::BTreeMap;
use std::time::Instant;

/// All formulations of the model, the default first.
pub const FORMULATIONS: &[FormulationEntry] = &[
    FormulationEntry {
        name: "compact",
        summary: "exact aggregated form of the printed program; its size does not grow with the number of GPUs",
    },
    FormulationEntry {
        name: "exact-index",
        summary: "reuses freed slots and works around pinned instances; chosen by itself when workloads are pinned",
    },
    FormulationEntry {
        name: "printed",
        summary: "the paper's program (2a)-(2k), repaired; for clusters of some ten GPUs",
    },
];

/// The answer to a problem, with the best verified solution and its worth.
pub type Solved = crate::model::Solved<(Solution, Score)>;

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the formulation or the warm start does not apply, and when the solver fails or its answer does not pass the
/// verifier.
pub fn solve(problem: &Problem, options: &SolveOptions, control: &Control) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let deadline = options.time_limit.map(|limit| began + limit);
    let name = formulation_for(problem, options.formulation).name;
    let formulation = build(problem, name)?;
    let warm_start = options.warm_start.as_deref().map(heuristic_named).transpose();
    let mut notes = Vec::new();
    let start = warm_start.map_err(SolveError::Refused)?.and_then(|heuristic| {
        let start = formulation.encode(&proposal(problem, &*heuristic, formulation.reading()));
        if start.is_none() {
            let text = "the program has no column for something that {} does; the solver started without it";
            notes.push(text.replace("{}", heuristic.name()));
        }
        start
    });
    let build_seconds = began.elapsed().as_secs_f64();

    let began = Instant::now();
    let stage_options = Options {
        time_limit: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
        relative_gap: options.relative_gap,
        threads: options.threads,
        seed: 0,
        start,
    };
    let plan = formulation.plan().clone();
    let in_units = control.in_units(move |stage| plan.unit_of_stage(stage).to_f64());
    let staged = solve_stages(options.solver, formulation.program(), &stage_options, &in_units);
    if let StopReason::SolverError(words) = &staged.stop {
        return Err(SolveError::Internal(format!("{} failed: {words}", options.solver.name())));
    }
    let columns = match &staged.columns {
        Some(columns) => Some(whole_flows(formulation.as_ref(), columns, options, control)?),
        None => None,
    };
    let decoded = columns.map(|columns| formulation.decode(&columns));
    let work = staged.work;
    let mut answer =
        Reader { problem, plan: formulation.plan(), staged: &staged }.read(decoded, formulation.reading())?;
    answer.notes.splice(0..0, notes);
    Ok(Solved {
        formulation: name,
        work,
        build_seconds,
        solve_seconds: began.elapsed().as_secs_f64(),
        ..answer
    })
}

/// The score of the optimum under the printed reading, where it is proved within the limits.
///
/// # Errors
/// As for [`solve`].
pub fn printed_reading(
    problem: &Problem,
    options: &SolveOptions,
    control: &Control,
) -> Result<Option<Score>, SolveError> {
    let compact = SolveOptions { formulation: Some(formulation_named("compact")), ..options.clone() };
    let printed = solve(problem, &compact, control)?;
    let proved = printed.best.filter(|_| printed.status == Status::Optimal);
    Ok(proved.map(|(_, score)| score))
}

/// The formulation that is asked for, or that suits the problem.
pub fn formulation_for(
    problem: &Problem,
    asked: Option<&'static FormulationEntry>,
) -> &'static FormulationEntry {
    asked.unwrap_or_else(|| match reading_for(problem) {
        Reading::Printed => formulation_named("compact"),
        Reading::ExactIndex => formulation_named("exact-index"),
    })
}

fn formulation_named(name: &str) -> &'static FormulationEntry {
    FORMULATIONS.iter().find(|entry| entry.name == name).expect("it is in the table")
}

/// The reading under which heuristics are judged: that of the formulation which suits the problem.
pub fn reading_for(problem: &Problem) -> Reading {
    if problem.has_pins_to_work_around() { Reading::ExactIndex } else { Reading::Printed }
}

/// Builds the named formulation.
///
/// # Errors
/// When the weights are too fine, or the printed program is not exact on a board.
pub fn build<'a>(problem: &'a Problem, name: &str) -> Result<Box<dyn Formulation + 'a>, SolveError> {
    let plan = Plan::new(problem).map_err(|error| SolveError::Refused(error.to_string()))?;
    Ok(match name {
        "printed" => {
            Box::new(Printed::new(problem, plan).map_err(|error| SolveError::Refused(error.to_string()))?)
        }
        "exact-index" => Box::new(exact_index(problem, plan)),
        _ => Box::new(compact(problem, plan)),
    })
}

/// The heuristic's placement as a solution under a reading.
pub fn proposal(problem: &Problem, heuristic: &dyn Heuristic<Problem>, reading: Reading) -> Solution {
    Solution::from_placement(problem, reading, heuristic.propose(problem, 0))
}

/// Makes the network columns whole: with the integer columns fixed they are a network flow, whose vertices are whole,
/// and the simplex method ends at a vertex. Most often there is nothing to do.
fn whole_flows(
    formulation: &dyn Formulation,
    columns: &[f64],
    options: &SolveOptions,
    control: &Control,
) -> Result<Vec<f64>, SolveError> {
    let is_whole = |columns: &[f64]| {
        formulation
            .network_columns()
            .iter()
            .all(|&column| (columns[column] - columns[column].round()).abs() < 1e-6)
    };
    if is_whole(columns) {
        return Ok(columns.to_vec());
    }
    let program: &Program = formulation.program();
    let failed = |words: String| SolveError::Internal(format!("the flows could not be made whole: {words}"));
    let mut session =
        options.solver.open(program, &Settings::default()).map_err(|failure| failed(failure.to_string()))?;
    for (position, column) in program.columns.iter().enumerate() {
        if column.integer {
            session.set_column_bounds(position, columns[position], columns[position]);
        }
    }
    // The goals depend on the flows in migrations alone; any stage that has them keeps their cost.
    let flows_cost =
        program.stages.iter().find(|stage| stage.name == "profit" || stage.name == Goal::Migrations.name());
    if let Some(stage) = flows_cost {
        session.set_objective(stage);
    }
    let request = Request { relaxation: true, deadline: None, absolute_gap: 0.0, relative_gap: 0.0, control };
    let outcome = session.solve(&request);
    match outcome.columns {
        Some(columns) if is_whole(&columns) => Ok(columns),
        _ => Err(failed(format!("{:?}", outcome.stop))),
    }
}

/// Reads what the stages found and proved as an answer, and holds it against the verifier.
struct Reader<'a> {
    problem: &'a Problem,
    plan: &'a Plan,
    staged: &'a Staged,
}

impl Reader<'_> {
    fn read(&self, decoded: Option<Solution>, reading: Reading) -> Result<Solved, SolveError> {
        let problem = self.problem;
        let mut solved = Solved {
            formulation: "",
            status: Status::Optimal,
            reason: None,
            stages: Vec::new(),
            gap: None,
            work: self.staged.work,
            build_seconds: 0.0,
            solve_seconds: 0.0,
            best: None,
            notes: Vec::new(),
        };
        if let Some(reason) = self.impossible_to_place_all(decoded.as_ref()) {
            solved.status = Status::Infeasible;
            solved.reason = Some(reason);
            return Ok(solved);
        }
        let decoded = match decoded {
            Some(solution) => self.checked(solution)?,
            None => None,
        };
        let all_proved = self.staged.stages.iter().all(|stage| stage.proved);
        solved.best = match decoded {
            Some(found) if all_proved => Some(found),
            found => self.not_worse_than_first_fit(found, reading),
        };
        solved.notes.extend(unserved(&problem.cluster, problem.decided()));
        if solved.best.is_none() {
            solved.notes.push("no placement of all workloads was found before the limit".to_owned());
        }
        let score = solved.best.as_ref().map(|(_, score)| score);
        solved.stages = self.stages(score);
        solved.gap = gap(&solved.stages);
        let met = solved.gap == Some(0.0) && all_proved;
        solved.status = Status::of(met, &self.staged.stop)?;
        Ok(solved)
    }

    /// Passes the solution through the verifier and compares its worth with what the solver claims.
    fn checked(&self, solution: Solution) -> Result<Option<(Solution, Score)>, SolveError> {
        let verdict = verify(self.problem, &solution);
        let only_pending = verdict.violations.iter().all(|violation| violation.rule() == "pending");
        if self.plan.begins_with_pending() && only_pending && !verdict.violations.is_empty() {
            return Ok(None);
        }
        if let Some(violation) = verdict.violations.first() {
            let text = format!("the solver's solution breaks a rule: {violation}");
            return Err(SolveError::Internal(text));
        }
        let skipped = usize::from(self.plan.begins_with_pending());
        for (goal, stage) in self.plan.stages().iter().zip(&self.staged.stages[skipped..]) {
            let (Some(claimed), verified) = (stage.value, worth(*goal, &verdict.score)) else { break };
            if !agrees(stage, self.amount(*goal, claimed), verified)? {
                break;
            }
        }
        Ok(Some((solution, verdict.score)))
    }

    /// The solution, or that of first fit where it is better or there is none.
    fn not_worse_than_first_fit(
        &self,
        found: Option<(Solution, Score)>,
        reading: Reading,
    ) -> Option<(Solution, Score)> {
        let baseline = proposal(self.problem, &FirstFit, reading);
        let verdict = verify(self.problem, &baseline);
        let baseline = verdict.violations.is_empty().then_some((baseline, verdict.score));
        match (found, baseline) {
            (Some(found), Some(other)) if self.better(&other.1, &found.1) => Some(other),
            (Some(found), _) => Some(found),
            (None, other) => other,
        }
    }

    /// A stage's value or bound as an amount.
    fn amount(&self, goal: Option<Goal>, value: f64) -> Amount {
        self.plan.unit(goal.unwrap_or(Goal::Reward)) * value.round() as i128
    }

    fn better(&self, score: &Score, other: &Score) -> bool {
        for goal in self.plan.stages() {
            let (one, two) = (worth(*goal, score), worth(*goal, other));
            if one != two {
                return sense(*goal).prefers(one, two);
            }
        }
        false
    }

    /// Bound of a goal that no solution can be better than, even without solving.
    fn trivial_bound(&self, goal: Option<Goal>) -> Amount {
        match goal {
            None | Some(Goal::Reward) => {
                self.problem.decided().map(|workload| self.problem.costs.reward_of(workload)).sum()
            }
            Some(_) => Amount::ZERO,
        }
    }

    fn stages(&self, score: Option<&Score>) -> Vec<StageDocument> {
        let skipped = usize::from(self.plan.begins_with_pending());
        let mut reached = true;
        let staged: Vec<StageDocument> = self
            .plan
            .stages()
            .iter()
            .zip(&self.staged.stages[skipped..])
            .map(|(&goal, stage)| {
                let bound = reached.then(|| match stage.bound {
                    Some(bound) => self.amount(goal, bound),
                    None => self.trivial_bound(goal),
                });
                reached &= stage.proved;
                StageDocument {
                    name: stage_name(goal).to_owned(),
                    sense: sense(goal),
                    value: score.map(|score| worth(goal, score)),
                    bound,
                }
            })
            .collect();
        if self.problem.objective != Objective::Weighted || self.plan.stages() == [None] {
            return staged;
        }
        // Solved goal by goal although the profit is asked for: its bound is the sum of the goals' bounds, a cost that
        // was not reached being at least nothing.
        let bound: Amount = staged
            .iter()
            .map(|stage| {
                let bound = stage.bound.unwrap_or_default();
                if stage.sense == SenseName::Maximize { bound } else { Amount::ZERO - bound }
            })
            .sum();
        let value = score.map(|score| score.profit);
        vec![StageDocument {
            name: stage_name(None).to_owned(),
            sense: sense(None),
            value,
            bound: Some(bound),
        }]
    }

    /// The reason in words, when the first stage proved that some workload has to wait although none may.
    fn impossible_to_place_all(&self, best: Option<&Solution>) -> Option<String> {
        if !self.plan.begins_with_pending() {
            return None;
        }
        let problem = self.problem;
        let least = self.staged.stages.first()?.bound.filter(|&bound| bound > 0.5)?.round();
        let decided = problem.decided().count();
        let mut reason = format!(
            "at least {least} of {decided} workloads must wait, whatever the placement (proved). They ask for {} memory slices",
            slices(problem, problem.decided())
        );
        let capacity: u32 = problem
            .cluster
            .gpu_indices()
            .filter(|&gpu| problem.gpu_role(gpu) != super::roles::GpuRole::NotConsidered)
            .map(|gpu| problem.board(gpu).slots())
            .sum();
        let pinned =
            problem.cluster.workload_indices().filter(|&workload| problem.role(workload) == Role::Pinned);
        reason += &format!(", {} of {capacity} on the usable GPUs are pinned", slices(problem, pinned));
        if let Some(best) = best {
            let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for workload in best.pending(problem) {
                let workload = &problem.cluster.workloads[workload.index()];
                let profile = problem.cluster.requests[workload.request.index()].names.join("|");
                groups.entry(profile).or_default().push(&workload.name);
            }
            let groups = groups
                .iter()
                .map(|(profile, names)| format!("{} x {profile} ({})", names.len(), name_some(names)));
            let groups: Vec<String> = groups.collect();
            if !groups.is_empty() {
                reason += &format!("; in the best placement found these wait: {}", groups.join(", "));
            }
        }
        Some(reason + ". Add GPUs, allow moves, or drop `place_all`.")
    }
}

/// Name of the objective that is a goal, or the profit.
fn stage_name(goal: Option<Goal>) -> &'static str {
    goal.map_or("profit", Goal::name)
}

fn sense(goal: Option<Goal>) -> SenseName {
    goal.map_or(SenseName::Maximize, Goal::sense)
}

fn worth(goal: Option<Goal>, score: &Score) -> Amount {
    goal.map_or(score.profit, |goal| score.goal(goal))
}

/// The values of the objectives, without bounds.
pub fn values(objective: &Objective, score: &Score) -> Vec<StageDocument> {
    let goals = match objective {
        Objective::Weighted => vec![None],
        Objective::Lexicographic(goals) => goals.iter().copied().map(Some).collect(),
    };
    let value = |goal| StageDocument::without_bound(stage_name(goal), sense(goal), worth(goal, score));
    goals.into_iter().map(value).collect()
}

fn slices(problem: &Problem, workloads: impl Iterator<Item = WorkloadIndex>) -> u64 {
    workloads.filter_map(|workload| problem.cluster.memory_slices(workload)).map(u64::from).sum()
}
