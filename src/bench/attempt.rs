//! One method on one instance.

use super::case::Case;
use super::external;
use super::method::Method;
use super::record::{Outcome, ROW_VERSION, Record};
use ground::SourceText;
use kit::{MetricValues, ProposalDocument, SolutionDocument, SolveError, SolveOptions, Status};
use models::Question;
use solver::{Control, Effort};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Runs a method on an instance within the limits of the effort. That it fails is an answer too: the record says why. Program and
/// conditions are left to the caller.
pub fn attempt(case: &Case, method: &Method, seed: Option<u64>, effort: &Effort) -> Record {
    let began = Instant::now();
    let blank = blank(case, method, seed);
    answer(case, method, seed, effort, blank.clone()).unwrap_or_else(|reason| Record {
        outcome: Outcome::Failed,
        reason: Some(reason),
        seconds: began.elapsed().as_secs_f64(),
        ..blank
    })
}

/// A row about a method that gave no answer.
pub fn failed(case: &Case, method: &Method, seed: Option<u64>, reason: String) -> Record {
    Record { reason: Some(reason), ..blank(case, method, seed) }
}

fn blank(case: &Case, method: &Method, seed: Option<u64>) -> Record {
    let instance = &case.instance;
    Record {
        version: ROW_VERSION,
        instance: instance.name.clone(),
        path: case.label.clone(),
        fingerprint: instance.fingerprint.clone(),
        model: case.model.name().to_owned(),
        question: case.model.question_name(instance),
        family: instance.family.clone(),
        cluster_gpus: instance.cluster.gpus.len() as u64,
        workloads: case.model.size(instance),
        method: method.to_string(),
        seed,
        program: None,
        conditions: None,
        outcome: Outcome::Failed,
        reason: None,
        stages: Vec::new(),
        root_bound: None,
        trace: Vec::new(),
        gpu_cost: None,
        metrics: BTreeMap::new(),
        work: None,
        seconds: 0.0,
    }
}

fn answer(
    case: &Case,
    method: &Method,
    seed: Option<u64>,
    effort: &Effort,
    record: Record,
) -> Result<Record, String> {
    let question = case.model.pose(&case.instance).map_err(|error| error.to_string())?;
    let question = question.as_ref();
    let seed = seed.unwrap_or_default();
    match method {
        Method::Exact(exact) => solve(question, &exact.solve_options(effort), record),
        Method::Heuristic(text) => {
            question.propose(text, seed).map(|proposal| of_proposal(question, proposal, record))
        }
        Method::External(command) => ask(question, command, seed, effort.time_limit)
            .map(|proposal| of_proposal(question, proposal, record)),
        Method::Library => known(case, question, record),
    }
}

/// What the library knows of the instance, with the time of the run that found it.
fn known(case: &Case, question: &dyn Question, record: Record) -> Result<Record, String> {
    let fingerprint = &case.instance.fingerprint;
    let entry = case.model.library().into_iter().find(|entry| entry.fingerprint == *fingerprint);
    let entry = entry.ok_or("this is no instance of the library (`migopt library` lists them)")?;
    Ok(Record {
        outcome: if entry.is_proved() { Outcome::Optimal } else { Outcome::TimeLimit },
        stages: entry.stages,
        gpu_cost: question.unit_cost(),
        seconds: entry.seconds,
        ..record
    })
}

/// Asks an external heuristic and judges its answer.
///
/// # Errors
/// What the program did wrong, in words.
pub fn ask(
    question: &dyn Question,
    command: &str,
    seed: u64,
    time_limit: Option<Duration>,
) -> Result<ProposalDocument, String> {
    let input = question.document(seed).to_string();
    let (text, seconds) =
        external::run(command, &input, time_limit).map_err(|error| format!("`{command}` {error}"))?;
    let source = SourceText::new(format!("output of `{command}`"), text);
    let verdict = source
        .parse::<SolutionDocument>()
        .and_then(|solution| question.judge(&solution, &source))
        .map_err(|error| error.to_string())?;
    let name = Method::External(command.to_owned()).to_string();
    Ok(ProposalDocument::new(question.about(), &name, seed, seconds, verdict))
}

fn of_proposal(question: &dyn Question, proposal: ProposalDocument, record: Record) -> Record {
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
            gpu_cost: question.unit_cost(),
            metrics: numbers(proposal.metrics),
            seconds,
            ..record
        },
    }
}

fn solve(question: &dyn Question, options: &SolveOptions, record: Record) -> Result<Record, String> {
    let result = question.solve(options, &Control::silent()).map_err(|error| match error {
        SolveError::Refused(words) => words,
        SolveError::Input(error) => error.paragraphs(),
        SolveError::Internal(words) => format!("internal error: {words}"),
    })?;
    if let Some(other) = result.solution.as_ref().and_then(|solution| question.comparable(solution)) {
        let own = SourceText::new("the solution", "");
        let verdict = question.judge(&other, &own).expect("the solution speaks of this instance");
        let seconds = result.seconds.total;
        let proposal = ProposalDocument::new(question.about(), &record.method, 0, seconds, verdict);
        return Ok(of_proposal(question, proposal, record));
    }
    let (outcome, reason) = match (result.status, &result.solution) {
        (Status::Infeasible, _) => (Outcome::Infeasible, result.reason),
        (_, None) => (Outcome::Failed, Some("no solution was found before the limit".to_owned())),
        (Status::Optimal, _) => (Outcome::Optimal, None),
        (Status::MemoryLimit, _) => (Outcome::MemoryLimit, None),
        (Status::WithinGap | Status::TimeLimit | Status::Interrupted, _) => (Outcome::TimeLimit, None),
    };
    Ok(Record {
        outcome,
        reason,
        stages: result.stages,
        root_bound: result.root_bound,
        trace: result.trace,
        gpu_cost: question.unit_cost(),
        metrics: numbers(result.metrics),
        work: Some(result.work),
        seconds: result.seconds.total,
        ..record
    })
}

fn numbers(metrics: Option<MetricValues>) -> BTreeMap<String, f64> {
    let numbers = metrics.into_iter().flatten();
    numbers.filter_map(|(name, number)| Some((name, number.as_f64()?))).collect()
}
