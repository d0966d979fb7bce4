//! What is replayed and how it is read, in words.

use super::numbers;
use itertools::Itertools;
use replay::{Conditions, GpusPerHost, Reading, TraceSummary, Until};

/// Facts about the trace and its reading, each a line of a list.
pub(super) fn facts(conditions: &Conditions) -> Vec<String> {
    let trace = &conditions.trace;
    let mut facts = vec![
        format!("Files: {}", trace.files.join(", ")),
        format!(
            "Fleet: {} with {} ({})",
            numbers::counted(trace.hosts, "host"),
            numbers::counted(trace.gpus, "GPU"),
            trace.boards.join(", ")
        ),
        virtual_machines(trace),
        format!("Reading: {}", in_words(&conditions.reading)),
    ];
    facts.extend(trace.notes.iter().map(|note| format!("Note: {note}")));
    facts.push(format!("Fingerprint of the trace: {}", trace.fingerprint));
    facts.push(format!("Made by: migopt {}", conditions.version));
    facts
}

fn virtual_machines(trace: &TraceSummary) -> String {
    let histogram =
        trace.profiles.iter().map(|(profile, count)| format!("{profile} {}", numbers::whole(*count)));
    let (first, last) = trace.arrivals;
    format!(
        "Virtual machines: {}, which arrive within {} days; by profile: {}",
        numbers::whole(trace.virtual_machines()),
        numbers::decimal((last - first) / DAY),
        histogram.collect_vec().join(", ")
    )
}

/// Seconds of a day.
pub(super) const DAY: f64 = 86_400.0;

/// The reading as one sentence without its full stop.
pub fn in_words(reading: &Reading) -> String {
    let mut words = vec![
        format!("intervals of {}", duration(reading.interval)),
        if reading.departures {
            "virtual machines leave after their lifetime"
        } else {
            "virtual machines never leave"
        }
        .to_owned(),
        if reading.host_limits {
            "CPU and main memory of the hosts are limits"
        } else {
            "CPU and main memory of the hosts are not limits"
        }
        .to_owned(),
        match reading.gpus_per_host {
            GpusPerHost::Trace => "every host has the GPUs that the trace gives it",
            GpusPerHost::One => "every host has one GPU",
        }
        .to_owned(),
    ];
    if reading.lifetime_millionths != 1_000_000 {
        words.push(format!("lifetimes are multiplied by {}", reading.lifetime_millionths as f64 / 1e6));
    }
    words.push(match reading.batch {
        None => "every arrival is decided immediately".to_owned(),
        Some(seconds) => format!("arrivals are decided together every {}", duration(seconds)),
    });
    words.push(
        match reading.until {
            Until::LastArrival => "the replay ends with the interval of the last arrival",
            Until::LastDeparture => "the replay ends with the interval of the last departure",
        }
        .to_owned(),
    );
    words.join("; ")
}

/// Seconds as the largest unit of which they are a multiple.
fn duration(seconds: u64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = units.into_iter().find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    let (unit, name) = unit.unwrap_or((1, "second"));
    numbers::counted((seconds / unit) as usize, name)
}
