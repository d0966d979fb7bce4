//! Reading the folder of a replay.

use super::document::{BoundDocument, Conditions, Hour, PolicyDocument, ProfileCount};
use super::policies::online_policies;
use ground::{InputError, SourceText};
use std::path::{Path, PathBuf};

/// The file that makes a folder that of a replay.
pub const CONDITIONS_FILE: &str = "replay.json";
/// The file in a policy's folder that is written last.
pub(super) const TOTALS_FILE: &str = "totals.json";
pub(super) const HOURS_FILE: &str = "hours.csv";
pub(super) const BOUND_FOLDER: &str = "bound";
pub(super) const BOUND_FILE: &str = "bound.json";

/// All that a replay's folder holds, but for the places of the virtual machines.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayFolder {
    /// What its policies share.
    pub conditions: Conditions,
    /// The policies that came to their end, in a fixed order: those of the paper, then `optimal`, then others by name; those of
    /// one name by their parameters.
    pub policies: Vec<PolicyRun>,
    /// Names of the folders of policies that did not come to their end, in alphabetical order.
    pub incomplete: Vec<String>,
    /// The bound, if it was asked for and found.
    pub bound: Option<BoundDocument>,
}

/// A policy with its series.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyRun {
    /// Its totals.
    pub totals: PolicyDocument,
    /// Its intervals in order; their sums are those of the totals.
    pub hours: Vec<Hour>,
}

impl ReplayFolder {
    /// Whether a folder is that of a replay.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(CONDITIONS_FILE).is_file()
    }

    /// Reads a folder, whether its policies have come to their end or not.
    ///
    /// # Errors
    /// When a file cannot be read, is torn, or contradicts itself or another; the error names it.
    pub fn read(folder: &Path) -> Result<Self, InputError> {
        let source = SourceText::read(&folder.join(CONDITIONS_FILE))?;
        let conditions: Conditions = source.parse()?;
        if conditions.trace.gpus == 0 {
            return Err(source
                .error("`trace` has no GPU, so nothing can have been replayed. Replay the trace again."));
        }
        let mut read = ReplayFolder { conditions, policies: Vec::new(), incomplete: Vec::new(), bound: None };
        let mut sources: Vec<(String, PathBuf)> = Vec::new();
        for (name, path) in subfolders(folder)? {
            if name == BOUND_FOLDER {
                read.bound = bound(&path.join(BOUND_FILE), &read.conditions)?;
            } else if path.join(TOTALS_FILE).is_file() {
                let run = policy_run(&path, &read.conditions)?;
                let twin = sources.iter().find(|(policy, _)| *policy == run.totals.policy);
                if let Some((policy, other)) = twin {
                    let message = format!(
                        "the policy {policy:?} is also in {}. Move one of the two folders away.",
                        other.display()
                    );
                    return Err(about(&path.join(TOTALS_FILE), message));
                }
                sources.push((run.totals.policy.clone(), path));
                read.policies.push(run);
            } else {
                read.incomplete.push(name);
            }
        }
        read.policies.sort_by(|one, other| order(&one.totals.policy).cmp(&order(&other.totals.policy)));
        Ok(read)
    }
}

/// Folders in a folder with their names, in alphabetical order; hidden ones left out.
///
/// # Errors
/// When the folder cannot be read.
pub fn subfolders(folder: &Path) -> Result<Vec<(String, PathBuf)>, InputError> {
    let unreadable = |error: std::io::Error| {
        about(
            folder,
            format!("the folder cannot be read: {error}. Make it readable, or copy it to another place."),
        )
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.path().is_dir() {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// A policy's rank by its name before the parameters, its name, and its whole text.
fn order(policy: &str) -> (usize, &str, &str) {
    let name = policy.split(':').next().unwrap_or(policy);
    let rank = online_policies().iter().position(|known| *known == name).unwrap_or(usize::MAX);
    (rank, name, policy)
}

fn about(path: &Path, message: impl Into<String>) -> InputError {
    SourceText::new(path.display().to_string(), String::new()).error(message)
}

fn bound(path: &Path, conditions: &Conditions) -> Result<Option<BoundDocument>, InputError> {
    if !path.is_file() {
        return Ok(None);
    }
    let source = SourceText::read(path)?;
    let bound: BoundDocument = source.parse()?;
    let complain = |what: String| {
        Err(source.error(format!("{what}. One of the numbers is wrong: compute the bound again.")))
    };
    let (least, middle, most) =
        (bound.schedule.accepted, bound.no_migration.accepted, bound.free_migration.accepted);
    if least > middle || middle > most {
        return complain(format!(
            "the schedule accepts {least}, the bound without migration is {middle} and that with free migration {most}, \
             but none of them may exceed the next"
        ));
    }
    let arrived = conditions.trace.virtual_machines();
    if most > arrived {
        return complain(format!(
            "`free_migration` allows {most} virtual machines, but the trace of {CONDITIONS_FILE} has {arrived}"
        ));
    }
    if let Err(what) = check_profiles(&bound.schedule.profiles, bound.schedule.accepted, conditions) {
        return complain(what);
    }
    Ok(Some(bound))
}

fn policy_run(folder: &Path, conditions: &Conditions) -> Result<PolicyRun, InputError> {
    let source = SourceText::read(&folder.join(TOTALS_FILE))?;
    let totals: PolicyDocument = source.parse()?;
    let hours = hours(&folder.join(HOURS_FILE), conditions.reading.interval)?;
    let run = PolicyRun { totals, hours };
    match check(&run, conditions) {
        Ok(()) => Ok(run),
        Err(what) => Err(source.error(format!(
            "{what}. The files are from different runs, or one of them is cut off: delete the folder {} and replay the policy again.",
            folder.display()
        ))),
    }
}

/// Reads the series. The last line counts only with its line break, so that no torn number is taken for a whole one.
fn hours(path: &Path, interval: u64) -> Result<Vec<Hour>, InputError> {
    let source = SourceText::read(path)?;
    let advice = "Delete its folder and replay the policy again.";
    if !source.text().ends_with('\n') {
        return Err(source.error(format!("the last line is cut off. {advice}")));
    }
    let at_line = |line: u64, what: String| InputError {
        line: Some(line),
        ..source.error(format!("{what}. {advice}"))
    };
    let mut reader = csv::Reader::from_reader(source.text().as_bytes());
    let mut hours: Vec<Hour> = Vec::new();
    for (line, hour) in (2..).zip(reader.deserialize::<Hour>()) {
        let hour = hour.map_err(|error| at_line(line, in_words(&error)))?;
        if hour.accepted.checked_add(hour.rejected) != Some(hour.arrived) {
            return Err(at_line(line, "`accepted` and `rejected` do not sum up to `arrived`".to_owned()));
        }
        let expected = hours.last().map(|before| before.begins.saturating_add(interval));
        if expected.is_some_and(|expected| expected != hour.begins) {
            let what = format!("`begins` is not {interval} seconds after that of the line before");
            return Err(at_line(line, what));
        }
        hours.push(hour);
    }
    Ok(hours)
}

/// What is wrong with a line of CSV, without the place, which the error names itself.
fn in_words(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => format!("this line is not an interval of a replay: {err}"),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("this line has {len} fields, but the head has {expected_len}")
        }
        _ => "this line is not CSV".to_owned(),
    }
}

/// That the series sums up to the totals, and the totals to the trace.
fn check(run: &PolicyRun, conditions: &Conditions) -> Result<(), String> {
    let PolicyRun { totals, hours } = run;
    let sum = |of: fn(&Hour) -> usize| hours.iter().map(of).fold(0, usize::saturating_add) as u64;
    let sums = totals.active_sums;
    let sides = [
        ("intervals", totals.intervals as u64, hours.len() as u64),
        ("arrived", totals.arrived as u64, sum(|hour| hour.arrived)),
        ("accepted", totals.accepted as u64, sum(|hour| hour.accepted)),
        ("departed", totals.departed as u64, sum(|hour| hour.departed)),
        ("migrations", totals.migrations as u64, sum(|hour| hour.migrations)),
        ("active_sums.gpus", sums.gpus, sum(|hour| hour.active_gpus)),
        ("active_sums.hosts", sums.hosts, sum(|hour| hour.active_hosts)),
        ("active_sums.gpus_of_hosts", sums.gpus_of_hosts, sum(|hour| hour.gpus_of_active_hosts)),
    ];
    for (name, total, summed) in sides {
        if total != summed {
            return Err(format!("`{name}` is {total}, but {HOURS_FILE} has {summed}"));
        }
    }
    let arrived = conditions.trace.virtual_machines();
    if totals.arrived != arrived {
        return Err(format!(
            "`arrived` is {}, but the trace of {CONDITIONS_FILE} has {arrived} virtual machines",
            totals.arrived
        ));
    }
    check_profiles(&totals.profiles, totals.accepted, conditions)
}

/// That counts by profile are of the trace's profiles, in their order, and sum up to what was accepted.
fn check_profiles(profiles: &[ProfileCount], accepted: usize, conditions: &Conditions) -> Result<(), String> {
    let arrived = profiles.iter().map(|count| (&count.profile, count.arrived));
    let asked = conditions.trace.profiles.iter().map(|(profile, count)| (profile, *count));
    if !arrived.eq(asked) {
        return Err(format!("`profiles` does not list the profiles of {CONDITIONS_FILE} with their numbers"));
    }
    if let Some(count) = profiles.iter().find(|count| count.accepted > count.arrived) {
        return Err(format!(
            "of {} {} arrived and {} were accepted",
            count.profile, count.arrived, count.accepted
        ));
    }
    let sum = profiles.iter().map(|count| count.accepted).fold(0, usize::saturating_add);
    if sum != accepted {
        return Err(format!("`accepted` is {accepted}, but the profiles sum up to {sum}"));
    }
    Ok(())
}
