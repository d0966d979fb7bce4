//! The series as CSV: a flat line for each replay, policy and interval.

use super::named::Named;

/// The columns: those of a policy's `hours.csv` between what tells lines apart and what follows from the lines before.
const COLUMNS: [&str; 19] = [
    "replay",
    "policy",
    "begins",
    "arrived",
    "accepted",
    "rejected",
    "departed",
    "resident",
    "active_gpus",
    "active_hosts",
    "gpus_of_active_hosts",
    "migrations",
    "free_capability",
    "unproved",
    "gap",
    "arrived_so_far",
    "accepted_so_far",
    "active_percent_plain",
    "active_percent_strict",
];

/// The intervals of all policies, by replay and policy.
pub(super) fn table(replays: &[Named]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |line: [String; COLUMNS.len()]| {
        writer.write_record(line).expect("all lines have as many fields, and memory takes them");
    };
    write(COLUMNS.map(str::to_owned));
    for replay in replays {
        let trace = &replay.folder.conditions.trace;
        let percent = |units: usize| (100.0 * units as f64 / (trace.gpus + trace.hosts) as f64).to_string();
        for run in &replay.folder.policies {
            let mut so_far = (0, 0);
            for hour in &run.hours {
                so_far = (so_far.0 + hour.arrived, so_far.1 + hour.accepted);
                write([
                    replay.name.to_owned(),
                    run.totals.policy.clone(),
                    hour.begins.to_string(),
                    hour.arrived.to_string(),
                    hour.accepted.to_string(),
                    hour.rejected.to_string(),
                    hour.departed.to_string(),
                    hour.resident.to_string(),
                    hour.active_gpus.to_string(),
                    hour.active_hosts.to_string(),
                    hour.gpus_of_active_hosts.to_string(),
                    hour.migrations.to_string(),
                    hour.free_capability.to_string(),
                    hour.unproved.to_string(),
                    hour.gap.map(|gap| gap.to_string()).unwrap_or_default(),
                    so_far.0.to_string(),
                    so_far.1.to_string(),
                    percent(hour.active_gpus + hour.active_hosts),
                    percent(hour.gpus_of_active_hosts + hour.active_hosts),
                ]);
            }
        }
    }
    let bytes = writer.into_inner().expect("memory takes all bytes");
    String::from_utf8(bytes).expect("all fields are text")
}
