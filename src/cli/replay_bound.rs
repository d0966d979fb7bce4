//! `migopt replay-bound`.

use super::arguments::ReplayBoundArguments;
use super::exit::{EXIT_LIMIT, EXIT_PROVED, Failure};
use super::output::{Content, Printed, deliver};
use super::progress;
use super::replay::{check_folder, of_folder};
use ground::grouped;
use replay::bound::{Bound, bound};
use replay::{BoundDocument, Conditions, Folder, ReplayError};
use report::reading_in_words;
use serde::Serialize;
use std::fmt::Write;
use std::time::Instant;

/// How long it works by default, in seconds.
const USUAL_SECONDS: f64 = 600.0;

/// What is printed for programs.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    conditions: &'a Conditions,
    bound: &'a BoundDocument,
    /// Whether a limit or the user ended the search before it had tried everything.
    stopped: bool,
}

pub fn run(task: &ReplayBoundArguments) -> Result<u8, Failure> {
    check_folder(&task.trace, task.output.as_deref())?;
    let (trace, conditions) = task.trace.load()?;
    let folder =
        task.output.as_ref().map(|path| Folder::open(path, &conditions).map_err(of_folder)).transpose()?;
    let effort = task.effort.effort(Some(USUAL_SECONDS))?;
    let (control, line) = progress::control(task.quiet);
    let began = Instant::now();
    let bounded = bound(&trace, &effort, &control);
    line.finish_and_clear();
    let bounded = bounded.map_err(|error| match error {
        ReplayError::Internal(message) => Failure::Internal(format!(
            "{message}. This is a bug in migopt or the solver, not in the input; please report it."
        )),
        other => Failure::Internal(other.to_string()),
    })?;
    let document = bounded.document(&trace, began.elapsed().as_secs_f64());
    let kept = folder.map_or(Ok(()), |folder| folder.keep_bound(&trace, &bounded, &document));
    let kept = kept.map_err(of_folder);
    let said = Answer { conditions: &conditions, bound: &document, stopped: bounded.stopped };
    let answer = Content::answer(&said, || text(task, &conditions, &bounded, &document));
    let printed = deliver(&answer, Printed { format: task.format, quiet: task.quiet && kept.is_ok() }, []);
    Failure::all([printed, kept].into_iter().filter_map(Result::err).collect())?;
    Ok(if bounded.stopped { EXIT_LIMIT } else { EXIT_PROVED })
}

fn text(
    task: &ReplayBoundArguments,
    conditions: &Conditions,
    bounded: &Bound,
    document: &BoundDocument,
) -> String {
    let arrived = conditions.trace.virtual_machines();
    let of_all = |accepted: usize| {
        let percent = 100.0 * accepted as f64 / arrived.max(1) as f64;
        format!("{:>9}  {percent:6.2} %", grouped(&accepted.to_string()))
    };
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    line(format!(
        "{}: {} virtual machines arrive",
        conditions.trace.files.join(", "),
        grouped(&arrived.to_string())
    ));
    line(reading_in_words(&conditions.reading));
    line(format!("  with free migration, at most    {}", of_all(document.free_migration.accepted)));
    line(format!("  without migration, at most      {}", of_all(document.no_migration.accepted)));
    line(format!("  the schedule without migration  {}", of_all(document.schedule.accepted)));
    line(format!("proof with free migration: {}", document.free_migration.proof));
    line(format!("proof without migration: {}", document.no_migration.proof));
    line(format!(
        "schedule: {}; checked by the rules of the hardware at every arrival",
        document.schedule.found_by
    ));
    match document.no_migration.accepted - document.schedule.accepted {
        0 => line("The schedule attains the bound: it is optimal (proved).".to_owned()),
        gap => {
            let percent = 100.0 * gap as f64 / document.schedule.accepted.max(1) as f64;
            line(format!("gap between bound and schedule: {gap} ({percent:.3} % of the schedule)"));
        }
    }
    if bounded.stopped {
        line("stopped before everything was tried; the bounds hold".to_owned());
    }
    line(format!("{:.1} s", document.seconds));
    if let Some(folder) = &task.output {
        line(format!("next: migopt report {}", folder.display()));
    }
    text
}
