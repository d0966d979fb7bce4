//! Replays as an independent implementation has them, number by number and place by place.

use crate::fleet::{add_host, add_machine, empty, run};
use replay::{HostChoice, Moment, PodReading, Reading, Replay, Trace, TraceFiles, TraceForm, Until};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::board;

const PROFILES: [&[&str]; 6] =
    [&["1g.5gb"], &["1g.10gb"], &["2g.10gb"], &["3g.20gb"], &["4g.20gb"], &["7g.40gb"]];

fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn trace(hosts: HostChoice, reading: &Reading) -> Trace {
    let form = TraceForm::Pods {
        nodes: file("instances/traces/alibaba-2023/openb_node_list_gpu_node.csv"),
        board: board("A100-40GB"),
        pods: file("instances/traces/alibaba-2023/openb_pod_list_default.csv"),
        reading: PodReading::default(),
    };
    TraceFiles { form, hosts }.load().unwrap().0.read_as(reading)
}

/// What the reference says of a policy under a reading.
#[derive(Deserialize)]
struct Expected {
    accepted: usize,
    per: Vec<usize>,
    asked: Vec<usize>,
    migrations: usize,
    hours: usize,
    auc_plain: f64,
    auc_strict: f64,
    gpus: usize,
    hosts: usize,
    digest: String,
}

fn compare(about: &str, found: &Replay, expected: &Expected) {
    let document = &found.document;
    let accepted: Vec<usize> = document.profiles.iter().map(|profile| profile.accepted).collect();
    let asked: Vec<usize> = document.profiles.iter().map(|profile| profile.arrived).collect();
    assert_eq!(
        (document.accepted, &accepted, &asked),
        (expected.accepted, &expected.per, &expected.asked),
        "{about}"
    );
    assert_eq!((document.migrations, document.intervals), (expected.migrations, expected.hours), "{about}");
    assert_eq!(document.digest, expected.digest, "{about}");
    assert_eq!(found.hours.len(), expected.hours, "{about}");
    let sums = document.active_sums;
    let sum = |area: f64| area * (expected.gpus + expected.hosts) as f64 / 100.0;
    for (area, whole) in
        [(expected.auc_plain, sums.gpus + sums.hosts), (expected.auc_strict, sums.gpus_of_hosts + sums.hosts)]
    {
        assert!(
            (sum(area) - whole as f64).abs() <= 1e-9 * whole as f64,
            "{about}: {} is not {whole}",
            sum(area)
        );
    }
}

#[derive(Deserialize)]
struct ReferenceReading {
    results: BTreeMap<String, Expected>,
}

/// What the independent implementation makes of the whole trace.
const ALIBABA: &str = "tests/fixtures/replay/alibaba-2023.json";

#[test]
fn the_whole_trace_is_replayed_as_in_the_reference() {
    let text = std::fs::read_to_string(file(ALIBABA)).unwrap();
    let readings: BTreeMap<String, ReferenceReading> = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for (name, hosts, departures, host_limits) in [
        ("R1", HostChoice::All, true, true),
        ("R2", HostChoice::All, false, true),
        ("R3", HostChoice::All, false, false),
        ("S6", HostChoice::First(6), true, true),
    ] {
        let reading = Reading { departures, host_limits, ..Reading::default() };
        let trace = trace(hosts, &reading);
        for (policy, expected) in &readings[name].results {
            let found = run(&trace, &reading, &policy.to_lowercase(), 1);
            compare(&format!("{policy} on {name}"), &found, expected);
            compared += 1;
        }
    }
    assert_eq!(compared, 20);
}

/// The reference is shipped as it is handed out, where that is at hand.
#[test]
fn the_reference_of_the_whole_trace_is_the_one_that_is_handed_out() {
    if let Ok(handed_out) = std::fs::read_to_string(file("../shared/data/replay_reference.json")) {
        assert_eq!(std::fs::read_to_string(file(ALIBABA)).unwrap(), handed_out);
    }
}

/// Small traces, and what the independent implementation makes of them.
#[derive(Deserialize)]
struct Fixture {
    traces: BTreeMap<String, Small>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Small {
    /// Thousandths of a core, MiB, GPUs.
    hosts: Vec<(i128, i128, usize)>,
    /// Seconds of arrival and departure, position of the profile, thousandths of a core, MiB.
    visits: Vec<(u64, u64, usize, i128, i128)>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    trace: String,
    options: Options,
    results: BTreeMap<String, Expected>,
}

/// What differs from the trace as it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    departures: Option<bool>,
    enforce: Option<bool>,
    gpus: Option<String>,
    scale: Option<f64>,
    tail: Option<bool>,
    hour: Option<u64>,
}

impl Small {
    fn read_as(&self, options: &Options) -> Trace {
        let mut trace = empty(&["A100-40GB"], &PROFILES);
        for &(cpu, memory, gpus) in &self.hosts {
            let limits = (options.enforce != Some(false)).then_some((cpu, memory));
            add_host(&mut trace, limits, if options.gpus.as_deref() == Some("one") { 1 } else { gpus }, 0);
        }
        for &(from, to, profile, cpu, memory) in &self.visits {
            let lifetime = (to - from) * Moment::SECOND;
            let lifetime = (lifetime as f64 * options.scale.unwrap_or(1.0)) as u64;
            let from = from * Moment::SECOND;
            let to = (options.departures != Some(false)).then_some(from + lifetime);
            add_machine(&mut trace, profile, cpu, memory, from, to);
        }
        trace
    }
}

#[test]
fn small_traces_are_replayed_as_in_the_reference() {
    let path = file("tests/fixtures/replay/small.json");
    let fixture: Fixture = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut migrations = 0;
    for case in &fixture.cases {
        let trace = fixture.traces[&case.trace].read_as(&case.options);
        let until = if case.options.tail == Some(true) { Until::LastDeparture } else { Until::LastArrival };
        let reading = Reading { interval: case.options.hour.unwrap_or(3600), until, ..Reading::default() };
        for (policy, expected) in &case.results {
            let found = run(&trace, &reading, policy, 1);
            compare(&format!("{policy} on {}", case.name), &found, expected);
            migrations += found.document.migrations;
        }
    }
    assert!(migrations > 250, "{migrations} migrations");
}
