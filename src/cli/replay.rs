//! `migopt replay`.

use super::arguments::ReplayArguments;
use super::exit::{EXIT_LIMIT, EXIT_PROVED, Failure};
use super::output::{Content, Printed, deliver};
use super::progress;
use super::trace_flags::TraceFlags;
use ground::{counted, grouped};
use indicatif::ProgressBar;
use itertools::Itertools;
use replay::{
    Conditions, Folder, FolderError, OPTIMAL, Operator, OptimalOptions, Planning, PolicyDocument,
    PolicyOptions, Reading, ReplayError, Trace, TraceSummary, Until, Visit, default_policies, operator_for,
    policy_settings, replay,
};
use report::reading_in_words;
use serde::Serialize;
use solver::Control;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::Path;

/// What the policy optimal has for each decision by default.
const SECONDS_FOR_DECISION: f64 = 60.0;

/// More intervals than this are taken for a slip of the pen.
const MOST_INTERVALS: u64 = 5_000_000;

pub fn run(task: &ReplayArguments) -> Result<u8, Failure> {
    let policies = policies(&task.policy);
    let to_flag = Failure::of_flag("--policy");
    // What is wrong with a policy is told before the trace is read.
    let mut options = PolicyOptions {
        consolidates_every: NonZeroU64::MIN,
        repacks_every: None,
        optimal: optimal_options(task)?,
    };
    policies.iter().try_for_each(|policy| policy_settings(policy, &options).map(drop).map_err(&to_flag))?;
    check_optimal_flags(task, &policies)?;
    check_folder(&task.trace, task.output.as_deref())?;
    let (trace, conditions) = task.trace.load()?;
    check_length(&trace, &conditions.reading)?;
    let intervals = |flag, duration| intervals(flag, duration, &conditions.reading);
    options.consolidates_every =
        intervals("--consolidate-every", task.consolidate_every)?.unwrap_or(NonZeroU64::MIN);
    options.repacks_every = intervals("--repack-every", task.repack_every)?;
    let control = Control::new(progress::interruption("migopt: stopping; what is finished is kept"), None);
    // Nor is a folder begun with it.
    for policy in &policies {
        operator(policy, &trace, &options, &control, None)?;
    }
    let folder = task.output.as_ref().map(|path| Folder::open(path, &conditions).map_err(of_folder));
    let folder = folder.transpose()?;
    // All settings are compared before the first policy is run.
    let mut there: BTreeMap<&str, PolicyDocument> = BTreeMap::new();
    for policy in &policies {
        let settings = policy_settings(policy, &options).map_err(&to_flag)?;
        let begun = folder.as_ref().map(|folder| folder.begin(policy, settings).map_err(of_folder));
        there.extend(begun.transpose()?.flatten().map(|document| (policy.as_str(), document)));
    }

    let (mut documents, mut failures) = (Vec::new(), Vec::new());
    for policy in &policies {
        let document = match there.get(policy.as_str()) {
            Some(document) => document.clone(),
            None => {
                let bar = progress_bar(trace.visits.len(), policy, task.quiet);
                let ran = run_policy(policy, &trace, &conditions, &options, folder.as_ref(), &control, &bar);
                bar.finish_and_clear();
                match ran {
                    Ok(Some((document, kept))) => {
                        failures.extend(kept.err());
                        document
                    }
                    Ok(None) => break,
                    Err(failure) => {
                        failures.push(failure);
                        break;
                    }
                }
            }
        };
        documents.push(document);
        if !failures.is_empty() {
            break;
        }
    }
    let complete = documents.len() == policies.len() && failures.is_empty();
    let already: Vec<&str> = there.into_keys().collect();
    let document = Answer { complete, conditions: &conditions, policies: &documents };
    let answer = Content::answer(&document, || text(task, &conditions, &documents, &already, complete));
    if failures.is_empty() || !documents.is_empty() {
        let quiet = task.quiet && failures.is_empty();
        failures.extend(deliver(&answer, Printed { format: task.format, quiet }, []).err());
    }
    Failure::all(failures)?;
    Ok(if complete { EXIT_PROVED } else { EXIT_LIMIT })
}

/// Refuses a folder in which the trace itself could be overwritten.
pub fn check_folder(trace: &TraceFlags, folder: Option<&Path>) -> Result<(), Failure> {
    folder.map_or(Ok(()), |folder| trace.files().writing_in("--output", folder, &Folder::files(folder)))
}

/// What is printed for programs.
#[derive(Serialize)]
struct Answer<'a> {
    /// Whether every policy asked for has come to its end.
    complete: bool,
    #[serde(flatten)]
    conditions: &'a Conditions,
    policies: &'a [PolicyDocument],
}

/// The policies asked for, each once, in the order given. Commas separate policies unless they separate parameters.
fn policies(texts: &[String]) -> Vec<String> {
    if texts.is_empty() {
        return default_policies().into_iter().map(str::to_owned).collect();
    }
    let separate = |text: &String| match text.contains(':') {
        true => vec![text.clone()],
        false => text.split(',').map(str::trim).map(str::to_owned).collect(),
    };
    texts.iter().flat_map(separate).unique().collect()
}

/// What the command line says of the policy `optimal`.
fn optimal_options(task: &ReplayArguments) -> Result<OptimalOptions, Failure> {
    Ok(OptimalOptions {
        objective: task.objective.clone(),
        warm_start: task.warm_start.clone(),
        ..OptimalOptions::new(task.effort.effort(Some(SECONDS_FOR_DECISION))?)
    })
}

/// Flags about the policy `optimal` need it.
fn check_optimal_flags(task: &ReplayArguments, policies: &[String]) -> Result<(), Failure> {
    if task.repack_every.is_some() && policies.iter().any(|policy| policy == OPTIMAL) {
        let message = format!(
            "the policy {OPTIMAL} lays out anew what runs at every arrival. Leave out the flag, or the policy."
        );
        return Err(Failure::of_flag("--repack-every")(message));
    }
    let given = [
        ("--time-limit", task.effort.time_limit.is_some()),
        ("--objective", task.objective.is_some()),
        ("--warm-start", task.warm_start.is_some()),
    ];
    let wasted =
        given.into_iter().find(|(_, given)| *given && !policies.iter().any(|policy| policy == OPTIMAL));
    wasted.map_or(Ok(()), |(flag, _)| {
        let message = format!("only the policy {OPTIMAL} uses it. Leave it out, or add --policy {OPTIMAL}.");
        Err(Failure::of_flag(flag)(message))
    })
}

/// How many intervals the duration that a flag gives is.
fn intervals(flag: &str, duration: Option<u64>, reading: &Reading) -> Result<Option<NonZeroU64>, Failure> {
    let Some(duration) = duration else { return Ok(None) };
    let length = reading.interval;
    let intervals = duration.is_multiple_of(length).then_some(duration / length).and_then(NonZeroU64::new);
    intervals.map(Some).ok_or_else(|| {
        Failure::Input(format!(
            "{flag}: {duration} seconds is not a multiple of the interval of {length} seconds. Give a multiple, such as {}s.",
            2 * length
        ))
    })
}

fn check_length(trace: &Trace, reading: &Reading) -> Result<(), Failure> {
    let last = |visit: &Visit| match reading.until {
        Until::LastArrival => visit.arrival,
        Until::LastDeparture => visit.departure.unwrap_or(visit.arrival),
    };
    let last = trace.visits.iter().map(last).max();
    let span = last.zip(trace.visits.first()).map_or(0, |(last, first)| last.0 - first.arrival.0);
    let intervals = span / reading.interval_microseconds();
    if intervals <= MOST_INTERVALS {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "--interval: the trace is {} intervals of {} seconds long, but at most {} are replayed. Give a longer interval.",
        grouped(&intervals.to_string()),
        grouped(&reading.interval.to_string()),
        grouped(&MOST_INTERVALS.to_string())
    )))
}

/// What came of a policy, and whether it could be kept.
type Ran = (PolicyDocument, Result<(), Failure>);

/// Runs a policy and keeps what came of it; `None` when it was interrupted.
fn run_policy(
    policy: &str,
    trace: &Trace,
    conditions: &Conditions,
    options: &PolicyOptions,
    folder: Option<&Folder>,
    control: &Control,
    bar: &ProgressBar,
) -> Result<Option<Ran>, Failure> {
    let journal = folder.map(|folder| folder.decisions(policy));
    let mut operator = operator(policy, trace, options, control, journal.as_deref())?;
    let mut observer = |arrived: usize| {
        bar.set_position(arrived as u64);
        if control.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    match replay(trace, &conditions.reading, policy, operator.as_mut(), &mut observer) {
        Ok(done) => {
            let kept = folder.map_or(Ok(()), |folder| folder.finish(trace, &done).map_err(of_folder));
            Ok(Some((done.document, kept)))
        }
        Err(ReplayError::Interrupted) => Ok(None),
        Err(ReplayError::Journal(message)) => Err(Failure::Input(message)),
        Err(ReplayError::Internal(message)) => Err(Failure::Internal(format!(
            "{policy}: {message}. This is a bug in migopt, not in the input; please report it."
        ))),
    }
}

/// A policy at the beginning of a trace.
fn operator<'t>(
    policy: &str,
    trace: &'t Trace,
    options: &PolicyOptions,
    control: &Control,
    journal: Option<&Path>,
) -> Result<Box<dyn Operator<'t> + 't>, Failure> {
    operator_for(policy, trace, options, control, journal)
        .map_err(|message| Failure::Input(format!("policy {policy}: {message}")))
}

fn progress_bar(total: usize, policy: &str, quiet: bool) -> ProgressBar {
    let template = "{prefix} {wide_bar} {pos} of {len} arrivals, {elapsed} elapsed, {eta} left";
    progress::bar(total, template, quiet).with_prefix(policy.to_owned())
}

/// What is wrong with a folder, as a failure.
pub fn of_folder(error: FolderError) -> Failure {
    Failure::Input(error.to_string())
}

/// The readable answer: what was replayed, a line for each policy, and what comes next.
fn text(
    task: &ReplayArguments,
    conditions: &Conditions,
    documents: &[PolicyDocument],
    already: &[&str],
    complete: bool,
) -> String {
    let Conditions { trace, reading, .. } = conditions;
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string");
    line(format_args!(
        "{}: {}, {}, {} ({})",
        trace.files.join(", "),
        counted(trace.virtual_machines(), "virtual machine"),
        counted(trace.hosts, "host"),
        counted(trace.gpus, "GPU"),
        trace.boards.join(", ")
    ));
    line(format_args!("{}", reading_in_words(reading)));
    trace.notes.iter().for_each(|note| line(format_args!("note: {note}")));
    already.iter().for_each(|policy| line(format_args!("{policy}: already there")));
    if !documents.is_empty() {
        line(format_args!("\n{}", table(trace, documents)));
    }
    for document in documents {
        let planning = document.planning.iter();
        planning.for_each(|planning| line(format_args!("{}: {}", document.policy, planned(planning))));
    }
    match (&task.output, complete) {
        (Some(folder), true) => line(format_args!("next: migopt report {}", folder.display())),
        (Some(_), false) => line(format_args!("Stopped. Run the same command again to continue.")),
        (None, true) => {}
        (None, false) => line(format_args!(
            "Stopped. With --output DIR, the same command would continue where it stopped."
        )),
    }
    text
}

/// What is known of the decisions of a policy that proves them.
fn planned(planning: &Planning) -> String {
    let unproved = match (planning.unproved, planning.worst_gap) {
        (0, _) => "all proved optimal".to_owned(),
        (number, None) => format!("{} not proved optimal", grouped(&number.to_string())),
        (number, Some(gap)) => {
            format!("{} not proved optimal, worst gap {:.2} %", grouped(&number.to_string()), 100.0 * gap)
        }
    };
    format!(
        "{}, {} with a program; {unproved}; slowest {:.1} s",
        counted(planning.decisions, "decision"),
        grouped(&planning.programs.to_string()),
        planning.slowest_seconds
    )
}

/// A line for each policy; shares in percent, areas in percent times intervals.
fn table(trace: &TraceSummary, documents: &[PolicyDocument]) -> String {
    let mut rows = vec![
        ["policy", "accepted", "share"]
            .into_iter()
            .map(str::to_owned)
            .chain(trace.profiles.iter().map(|(name, _)| name.clone()))
            .chain(["migrations", "area", "strict area", "seconds"].map(str::to_owned))
            .collect_vec(),
    ];
    for document in documents {
        let profiles = document.profiles.iter().map(|profile| percent(profile.accepted, profile.arrived));
        let sums = document.active_sums;
        let first = [
            document.policy.clone(),
            grouped(&document.accepted.to_string()),
            percent(document.accepted, document.arrived),
        ];
        let last = [
            grouped(&document.migrations.to_string()),
            format!("{:.2}", sums.area_plain(trace.gpus, trace.hosts)),
            format!("{:.2}", sums.area_strict(trace.gpus, trace.hosts)),
            format!("{:.3}", document.seconds),
        ];
        rows.push(first.into_iter().chain(profiles).chain(last).collect());
    }
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += &format!("  {}\n", cells.collect_vec().join("  ").trim_end());
    }
    text
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.2} %", 100.0 * part as f64 / whole as f64) }
}
