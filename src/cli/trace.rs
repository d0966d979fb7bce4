//! `migopt trace`.

use super::arguments::TraceArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::format::Format;
use super::output::{print, serialise};
use ground::{Amount, counted, grouped};
use itertools::Itertools;
use replay::{Conditions, HostKind, LookBack, TraceStatistics};
use report::reading_in_words;
use serde::Serialize;
use std::fmt::Write;

/// Kinds of hosts that the text lists.
const MOST_KINDS: usize = 20;

/// What the command says.
#[derive(Serialize)]
struct Description {
    #[serde(flatten)]
    conditions: Conditions,
    statistics: TraceStatistics,
}

pub fn run(task: &TraceArguments) -> Result<u8, Failure> {
    let (trace, conditions) = task.trace.load()?;
    let description = Description { conditions, statistics: TraceStatistics::of(&trace) };
    print(&match task.format {
        Format::Text => text(&description),
        Format::Json | Format::Yaml => serialise(&description, task.format)?,
    })?;
    Ok(EXIT_PROVED)
}

fn text(description: &Description) -> String {
    let (summary, statistics) = (&description.conditions.trace, &description.statistics);
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    line(format!("{}: trace {}", summary.files.join(" and "), summary.fingerprint));
    line(reading_in_words(&description.conditions.reading));
    for note in &summary.notes {
        line(format!("note: {note}"));
    }
    line(format!("\n{}, {}", counted(statistics.hosts, "host"), counted(statistics.gpus, "GPU")));
    for (board, gpus) in &statistics.boards {
        line(format!("  {:>9}  {board}", number(*gpus)));
    }
    for (gpus, hosts) in &statistics.gpus_per_host {
        line(format!("  {} with {}", counted(*hosts, "host"), counted(*gpus, "GPU")));
    }
    line(format!("  {} of hosts:", counted(statistics.host_kinds.len(), "kind")));
    for kind in statistics.host_kinds.iter().take(MOST_KINDS) {
        line(format!("  {:>9}  {}", number(kind.hosts), host(kind, &statistics.memory_unit)));
    }
    if let Some(more) = statistics.host_kinds.len().checked_sub(MOST_KINDS).filter(|more| *more > 0) {
        line(format!("  and {} more (--format json lists all)", counted(more, "kind")));
    }
    line(format!("\n{}", counted(statistics.virtual_machines, "virtual machine")));
    let width = statistics.profiles.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (profile, count) in &statistics.profiles {
        let percent = 100.0 * *count as f64 / statistics.virtual_machines.max(1) as f64;
        line(format!("  {profile:<width$}  {:>9}  {percent:>6.2} %", number(*count)));
    }
    let (first, last) = statistics.arrivals;
    line(format!(
        "\narrivals    from {} s to {} s: {}",
        first.grouped(),
        last.grouped(),
        span((last - first).to_f64())
    ));
    let lifetimes = &statistics.lifetimes;
    if let (Some(median), Some(longest)) = (lifetimes.median_seconds, lifetimes.longest_seconds) {
        line(format!("lifetimes   median {}, longest {}", span(median), span(longest)));
    }
    if lifetimes.never_leave > 0 {
        line(format!("            {} never leave", number(lifetimes.never_leave)));
    }
    line(format!("at once     at most {}", counted(statistics.most_at_once, "virtual machine")));
    let peak = &statistics.peak_load;
    line(format!(
        "load        {} GPUs for all together; at most {} GPUs at once, first at {} s",
        grouped(&format!("{:.2}", statistics.load_of_all)),
        grouped(&format!("{:.2}", peak.gpus)),
        peak.at_seconds.grouped()
    ));
    line(
        "\nlooking back: how often an arrival's profile is not the most frequent one of the hours before it"
            .to_owned(),
    );
    for window in &statistics.look_back {
        line(look_back(window));
    }
    text
}

fn look_back(window: &LookBack) -> String {
    let hours = format!("{} h", window.hours);
    match window.error_percent() {
        None => format!("  {hours:>5}   no virtual machine has a predecessor in the window"),
        Some(percent) => {
            let (wrong, predicted) = (number(window.wrong), number(window.predicted));
            format!("  {hours:>5}  {percent:>6.2} %  ({wrong} of {predicted})")
        }
    }
}

/// A kind of hosts in words.
fn host(kind: &HostKind, memory_unit: &str) -> String {
    let limit = |amount: Option<Amount>, unit: &str, without: &str| match amount {
        Some(amount) => format!("{} {unit}", amount.grouped()),
        None => without.to_owned(),
    };
    let gpus = match &kind.gpus[..] {
        [] => "no GPU".to_owned(),
        gpus => gpus.iter().map(|(board, count)| format!("{count} x {board}")).join(" and "),
    };
    let cpu = limit(kind.cpu, "cores", "CPU without limit");
    let memory = limit(kind.memory, memory_unit, "memory without limit");
    format!("{gpus}, {cpu}, {memory}")
}

fn number(count: usize) -> String {
    grouped(&count.to_string())
}

/// Seconds in the unit in which people would say them.
fn span(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.1} s"),
        ..7200.0 => format!("{:.1} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{} days", grouped(&format!("{:.1}", seconds / 86_400.0))),
    }
}
