//! One method on one instance.

use super::external;
use super::method::Method;
use super::record::{Outcome, Record};
use crate::cluster::{METRICS, Metrics, SourceText};
use crate::model::wpm::heuristic::heuristic_named;
use crate::model::wpm::{
    self, FORMULATIONS, QuestionDocument, Solution, SolutionDocument, SolveError, SolveOptions,
};
use crate::model::{Instance, ProposalDocument, ResultDocument, StatusName};
use crate::solver::{Control, Solver};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What limits a method, and how programs are solved.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Wall-clock limit of the method.
    pub time_limit: Option<Duration>,
    /// The solver.
    pub solver: &'static dyn Solver,
    /// Threads of the solver.
    pub threads: u32,
}

/// Runs a method on an instance. That it fails is an answer too: the record says why.
pub fn attempt(
    instance: &Instance,
    path: &str,
    method: &Method,
    seed: Option<u64>,
    limits: &Limits,
) -> Record {
    let began = Instant::now();
    let blank = blank(instance, path, method, seed);
    let answered = match method {
        Method::Optimum => solve(instance, None, limits, blank.clone()),
        Method::Formulation(name) => solve(instance, Some(name.as_str()), limits, blank.clone()),
        Method::Heuristic(name) => match heuristic_named(name) {
            Some(heuristic) => ProposalDocument::of_heuristic(instance, heuristic, seed.unwrap_or_default())
                .map(|proposal| of_proposal(proposal, blank.clone()))
                .map_err(|error| error.to_string()),
            None => Err(format!("there is no heuristic `{name}`")),
        },
        Method::External(command) => ask(instance, command, seed.unwrap_or_default(), limits.time_limit)
            .map(|proposal| of_proposal(proposal, blank.clone())),
    };
    answered.unwrap_or_else(|reason| Record {
        outcome: Outcome::Failed,
        reason: Some(reason),
        seconds: began.elapsed().as_secs_f64(),
        ..blank
    })
}

/// A row about a method that gave no answer.
pub fn failed(instance: &Instance, path: &str, method: &Method, seed: Option<u64>, reason: String) -> Record {
    Record { reason: Some(reason), ..blank(instance, path, method, seed) }
}

fn blank(instance: &Instance, path: &str, method: &Method, seed: Option<u64>) -> Record {
    Record {
        instance: instance.cluster.name.clone(),
        path: path.to_owned(),
        fingerprint: instance.fingerprint.clone(),
        model: "wpm".to_owned(),
        use_case: instance.wpm.use_case.to_string(),
        cluster_gpus: instance.cluster.gpus.len() as u64,
        workloads: instance.cluster.workloads.len() as u64,
        method: method.to_string(),
        seed,
        outcome: Outcome::Failed,
        reason: None,
        stages: Vec::new(),
        gpu_cost: None,
        metrics: BTreeMap::new(),
        work: None,
        seconds: 0.0,
    }
}

/// Asks an external heuristic and judges its answer.
///
/// # Errors
/// What the program did wrong, in words.
pub fn ask(
    instance: &Instance,
    command: &str,
    seed: u64,
    time_limit: Option<Duration>,
) -> Result<ProposalDocument, String> {
    let problem = instance.wpm_problem().map_err(|error| error.to_string())?;
    let question = QuestionDocument::new(&problem, &instance.fingerprint, seed);
    let question = serde_json::to_string(&question).map_err(|error| error.to_string())?;
    let (text, seconds) =
        external::run(command, &question, time_limit).map_err(|error| format!("`{command}` {error}"))?;
    let source = SourceText::new(format!("output of `{command}`"), text);
    let solution = source
        .parse::<SolutionDocument>()
        .and_then(|document| document.resolve(&problem, &instance.fingerprint, &source))
        .map_err(|error| error.to_string())?;
    let name = Method::External(command.to_owned()).to_string();
    Ok(ProposalDocument::of_solution(instance, &problem, &name, seed, &solution, seconds))
}

fn of_proposal(proposal: ProposalDocument, record: Record) -> Record {
    let seconds = proposal.seconds;
    match proposal.violations.first() {
        Some(violation) => {
            let others = proposal.violations.len() - 1;
            let more = if others == 0 { String::new() } else { format!(" (and {others} more)") };
            let reason =
                format!("its placement breaks the rule {}: {}{more}", violation.rule, violation.message);
            Record { reason: Some(reason), seconds, ..record }
        }
        None => Record {
            outcome: Outcome::Valid,
            stages: proposal.stages,
            gpu_cost: Some(proposal.costs.gpu),
            metrics: proposal.metrics.as_ref().map(by_name).unwrap_or_default(),
            seconds,
            ..record
        },
    }
}

fn solve(
    instance: &Instance,
    formulation: Option<&str>,
    limits: &Limits,
    record: Record,
) -> Result<Record, String> {
    let problem = instance.wpm_problem().map_err(|error| error.to_string())?;
    // Named even where the instance chooses: the price of the printed reading is not asked for here.
    let name =
        formulation.unwrap_or_else(|| wpm::formulation_for(&problem, &SolveOptions::exact(limits.solver)));
    let options = SolveOptions {
        formulation: FORMULATIONS.iter().find(|entry| entry.name == name),
        time_limit: limits.time_limit,
        threads: limits.threads,
        ..SolveOptions::exact(limits.solver)
    };
    let solved = wpm::solve(&problem, &options, &Control::silent()).map_err(|error| match error {
        SolveError::Refused(words) => words,
        SolveError::Internal(words) => format!("internal error: {words}"),
    })?;
    let reading = wpm::reading_for(&problem);
    if let Some((solution, _)) = solved.best.as_ref().filter(|(solution, _)| solution.reading != reading) {
        // Rows of an instance are comparable only under one reading. What was proved under another one proves nothing here.
        let solution = Solution::from_placement(&problem, reading, solution.placement.clone());
        let seconds = solved.build_seconds + solved.solve_seconds;
        let name = record.method.clone();
        let proposal = ProposalDocument::of_solution(instance, &problem, &name, 0, &solution, seconds);
        return Ok(of_proposal(proposal, record));
    }
    let result = ResultDocument::new(&problem, &instance.fingerprint, limits.solver, &solved, 0.0);
    let (outcome, reason) = match (result.status, &result.solution) {
        (StatusName::Infeasible, _) => (Outcome::Infeasible, result.reason),
        (_, None) => (Outcome::Failed, Some("no solution was found before the limit".to_owned())),
        (StatusName::Optimal, _) => (Outcome::Optimal, None),
        (StatusName::MemoryLimit, _) => (Outcome::MemoryLimit, None),
        (StatusName::WithinGap | StatusName::TimeLimit | StatusName::Interrupted, _) => {
            (Outcome::TimeLimit, None)
        }
    };
    Ok(Record {
        outcome,
        reason,
        stages: result.stages,
        gpu_cost: Some(result.costs.gpu),
        metrics: result.metrics.as_ref().map(by_name).unwrap_or_default(),
        work: Some(result.work),
        seconds: result.seconds.build + result.seconds.solve,
        ..record
    })
}

fn by_name(metrics: &Metrics) -> BTreeMap<String, f64> {
    METRICS.iter().map(|metric| (metric.name.to_owned(), (metric.value)(metrics))).collect()
}
