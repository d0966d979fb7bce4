//! From a problem to a proved, verified answer.

use super::compact::compact;
use super::exact_index::exact_index;
use super::formulation::Formulation;
use super::heuristic::{FirstFit, Heuristic};
use super::instance::Problem;
use super::objective::Plan;
use super::printed::Printed;
use super::roles::Role;
use super::settings::{Goal, Objective};
use super::solution::{Reading, Solution};
use super::verify::{Score, verify};
use crate::cluster::{Amount, WorkloadIndex};
use crate::milp::{Program, Sense, StopReason, Work};
use crate::solver::{Control, Options, Request, Settings, Solver, Staged, solve_stages};
use itertools::Itertools;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A way of writing the problem as a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulationEntry {
    /// Name, as flags take it.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
}

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

/// How to solve a problem.
pub struct SolveOptions {
    /// One of [`FORMULATIONS`]; `None` chooses by the problem.
    pub formulation: Option<&'static FormulationEntry>,
    /// The solver.
    pub solver: &'static dyn Solver,
    /// Wall-clock limit.
    pub time_limit: Option<Duration>,
    /// Relative gap at which to stop; 0 asks for the optimum.
    pub relative_gap: f64,
    /// Threads of the solver; 1 keeps the answer the same from run to run.
    pub threads: u32,
    /// A heuristic whose solution the solver starts from.
    pub warm_start: Option<&'static dyn Heuristic>,
}

impl SolveOptions {
    /// The proved optimum by the formulation that suits the problem, without limit, on one thread.
    pub fn exact(solver: &'static dyn Solver) -> Self {
        SolveOptions {
            formulation: None,
            solver,
            time_limit: None,
            relative_gap: 0.0,
            threads: 1,
            warm_start: None,
        }
    }
}

/// Why the answer is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Bound and verified value meet.
    Optimal,
    /// The gap asked for is reached.
    WithinGap,
    /// Stopped by the time limit.
    TimeLimit,
    /// Stopped by the user.
    Interrupted,
    /// The solver ran out of memory.
    MemoryLimit,
    /// All workloads were to be placed, which is impossible; the reason in words.
    Infeasible(String),
}

/// Value and bound of one objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageAnswer {
    /// `profit`, or the name of a goal.
    pub name: &'static str,
    /// Whether larger or smaller is better.
    pub sense: Sense,
    /// The verified solution's value.
    pub value: Option<Amount>,
    /// What no solution can be better than; `None` for a stage that was not reached.
    pub bound: Option<Amount>,
}

/// The answer to a problem.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The formulation used.
    pub formulation: &'static str,
    /// Why it is what it is.
    pub status: Status,
    /// Objectives in order.
    pub stages: Vec<StageAnswer>,
    /// Relative gap of the first objective that is not proved; 0 when all are.
    pub gap: Option<f64>,
    /// Work counters.
    pub work: Work,
    /// Seconds spent building the program.
    pub build_seconds: f64,
    /// Seconds spent solving it.
    pub solve_seconds: f64,
    /// The best verified solution and its worth.
    pub best: Option<(Solution, Score)>,
    /// The score of the optimum under the printed reading, where the exact-index reading was chosen by itself.
    pub printed_reading: Option<Score>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The question cannot be put this way.
    #[error("{0}")]
    Refused(String),
    /// Solver and verifier disagree, or the solver failed: never to be taken for an answer.
    #[error("{0}")]
    Internal(String),
}

/// Solves a problem to proved optimality, or as far as the limits allow.
///
/// # Errors
/// When the formulation does not apply, and when the solver fails or its answer does not pass the verifier.
pub fn solve(problem: &Problem, options: &SolveOptions, control: &Control) -> Result<Solved, SolveError> {
    let deadline = options.time_limit.map(|limit| Instant::now() + limit);
    let chosen = options.formulation;
    let name = formulation_for(problem, options);
    let mut solved = solve_as(problem, name, options, deadline, control)?;
    if chosen.is_none() && name == "exact-index" && !control.is_interrupted() {
        let printed = solve_as(problem, "compact", options, deadline, control)?;
        if printed.status == Status::Optimal {
            solved.printed_reading = printed.best.map(|(_, score)| score);
        }
    }
    Ok(solved)
}

/// The formulation that the options name, or that suits the problem.
pub fn formulation_for(problem: &Problem, options: &SolveOptions) -> &'static str {
    match options.formulation {
        Some(entry) => entry.name,
        None if problem.has_pins_to_work_around() => "exact-index",
        None => "compact",
    }
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

fn solve_as(
    problem: &Problem,
    name: &'static str,
    options: &SolveOptions,
    deadline: Option<Instant>,
    control: &Control,
) -> Result<Solved, SolveError> {
    let began = Instant::now();
    let formulation = build(problem, name)?;
    let mut notes = Vec::new();
    let start = options.warm_start.and_then(|heuristic| {
        let start = formulation.encode(&proposal(problem, heuristic, formulation.reading()));
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

/// The heuristic's placement as a solution under a reading.
pub fn proposal(problem: &Problem, heuristic: &dyn Heuristic, reading: Reading) -> Solution {
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
            stages: Vec::new(),
            gap: None,
            work: self.staged.work,
            build_seconds: 0.0,
            solve_seconds: 0.0,
            best: None,
            printed_reading: None,
            notes: Vec::new(),
        };
        if let Some(reason) = self.impossible_to_place_all(decoded.as_ref()) {
            solved.status = Status::Infeasible(reason);
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
        solved.notes.extend(unserved(problem));
        if solved.best.is_none() {
            solved.notes.push("no placement of all workloads was found before the limit".to_owned());
        }
        let score = solved.best.as_ref().map(|(_, score)| score);
        solved.stages = self.stages(score);
        solved.gap = gap(&solved.stages);
        let met = solved.gap == Some(0.0) && all_proved;
        solved.status = match &self.staged.stop {
            _ if met => Status::Optimal,
            StopReason::GapLimit => Status::WithinGap,
            StopReason::TimeLimit => Status::TimeLimit,
            StopReason::Interrupted => Status::Interrupted,
            StopReason::MemoryLimit => Status::MemoryLimit,
            other => {
                let text =
                    format!("the solver ended with {other:?}, but bound and verified value do not meet");
                return Err(SolveError::Internal(text));
            }
        };
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
            let (Some(claimed), verified) = (stage.value, self.worth(*goal, &verdict.score)) else { break };
            let claimed = self.amount(*goal, claimed);
            if claimed == verified {
                continue;
            }
            let better = match stage.sense {
                Sense::Maximize => verified > claimed,
                Sense::Minimize => verified < claimed,
            };
            if better && !stage.proved {
                break;
            }
            let text = format!("the solver claims {} = {claimed}, the verifier finds {verified}", stage.name);
            return Err(SolveError::Internal(text));
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

    fn worth(&self, goal: Option<Goal>, score: &Score) -> Amount {
        goal.map_or(score.profit, |goal| score.goal(goal))
    }

    /// A stage's value or bound as an amount.
    fn amount(&self, goal: Option<Goal>, value: f64) -> Amount {
        self.plan.unit(goal.unwrap_or(Goal::Reward)) * value.round() as i128
    }

    fn better(&self, score: &Score, other: &Score) -> bool {
        for goal in self.plan.stages() {
            let (one, two) = (self.worth(*goal, score), self.worth(*goal, other));
            if one != two {
                return (one > two) == matches!(goal, None | Some(Goal::Reward));
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

    fn stages(&self, score: Option<&Score>) -> Vec<StageAnswer> {
        let skipped = usize::from(self.plan.begins_with_pending());
        let mut reached = true;
        let staged: Vec<StageAnswer> = self
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
                StageAnswer {
                    name: goal.map_or("profit", Goal::name),
                    sense: stage.sense,
                    value: score.map(|score| self.worth(goal, score)),
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
                if stage.sense == Sense::Maximize { bound } else { Amount::ZERO - bound }
            })
            .sum();
        let value = score.map(|score| score.profit);
        vec![StageAnswer { name: "profit", sense: Sense::Maximize, value, bound: Some(bound) }]
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
            let groups = groups.iter().map(|(profile, names)| {
                let shown = names.iter().take(3).join(", ");
                format!("{} x {profile} ({shown}{})", names.len(), if names.len() > 3 { ", ..." } else { "" })
            });
            let groups: Vec<String> = groups.collect();
            if !groups.is_empty() {
                reason += &format!("; in the best placement found these wait: {}", groups.join(", "));
            }
        }
        Some(reason + ". Add GPUs, allow moves, or drop `place_all`.")
    }
}

fn slices(problem: &Problem, workloads: impl Iterator<Item = WorkloadIndex>) -> u64 {
    workloads.filter_map(|workload| problem.cluster.memory_slices(workload)).map(u64::from).sum()
}

/// A remark about workloads that no board of the cluster can serve.
fn unserved(problem: &Problem) -> Option<String> {
    let boardless = |workload: &WorkloadIndex| problem.cluster.memory_slices(*workload).is_none();
    let names: Vec<&str> = problem
        .decided()
        .filter(boardless)
        .map(|workload| problem.cluster.workloads[workload.index()].name.as_str())
        .collect();
    let shown = names.iter().take(3).join(", ");
    let more = if names.len() > 3 { ", ..." } else { "" };
    (!names.is_empty()).then(|| {
        format!(
            "{} workload(s) ask for a profile that no board of this cluster has, and wait: {shown}{more}",
            names.len()
        )
    })
}

/// Relative gap of the first stage whose value and bound differ.
fn gap(stages: &[StageAnswer]) -> Option<f64> {
    for stage in stages {
        let (value, bound) = (stage.value?, stage.bound?);
        if value != bound {
            let difference = (bound - value).to_f64().abs();
            return Some(difference / value.to_f64().abs().max(1e-9));
        }
    }
    Some(0.0)
}
