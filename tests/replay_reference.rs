//! Replays as an independent implementation has them, number by number and place by place.

mod replay_support;

use migopt::replay::{Moment, Reading, Replay, Trace, Until};
use replay_support::{add_host, add_machine, empty, run};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

const PROFILES: [&[&str]; 6] =
    [&["1g.5gb"], &["1g.10gb"], &["2g.10gb"], &["3g.20gb"], &["4g.20gb"], &["7g.40gb"]];

#[derive(Deserialize)]
struct Node {
    cpu_milli: i128,
    memory_mib: i128,
    gpu: usize,
}

#[derive(Deserialize)]
struct Pod {
    cpu_milli: i128,
    memory_mib: i128,
    num_gpu: u32,
    gpu_milli: u32,
    creation_time: u64,
    deletion_time: u64,
}

fn rows<T: for<'d> Deserialize<'d>>(path: PathBuf) -> Vec<T> {
    csv::Reader::from_path(&path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// The quartile of sorted numbers by linear interpolation.
fn quartile(sorted: &[u64], number: usize) -> f64 {
    let at = (sorted.len() - 1) * number;
    let (low, part) = (at / 4, (at % 4) as f64 / 4.0);
    sorted[low] as f64 + part * (sorted[(low + 1).min(sorted.len() - 1)] as f64 - sorted[low] as f64)
}

fn shared() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared")
}

fn trace(first_hosts: usize, departures: bool, enforce: bool) -> Trace {
    let folder = shared().join("data/alibaba2023");
    let nodes: Vec<Node> = rows(folder.join("openb_node_list_gpu_node.csv"));
    let pods: Vec<Pod> = rows(folder.join("openb_pod_list_default.csv"));
    let mut times: Vec<u64> = pods.iter().map(|pod| pod.creation_time).collect();
    times.sort_unstable();
    let (low, high) = (quartile(&times, 1), quartile(&times, 3));
    let (low, high) = (low - 1.5 * (high - low), high + 1.5 * (high - low));
    let mut trace = empty(&["A100-40GB"], &PROFILES);
    for node in nodes.iter().take(first_hosts) {
        add_host(&mut trace, enforce.then_some((node.cpu_milli, node.memory_mib)), node.gpu, 0);
    }
    for pod in &pods {
        let asked = f64::from(pod.num_gpu * pod.gpu_milli) / 1000.0;
        if !(low..=high).contains(&(pod.creation_time as f64)) || asked > 1.0 {
            continue;
        }
        let distance = |weight: f64| (weight / 56.0 - asked).abs();
        let weights = [1.0, 2.0, 4.0, 12.0, 16.0, 56.0].map(distance);
        let request = (0..6).min_by(|&one, &other| weights[one].total_cmp(&weights[other])).unwrap();
        let [from, to] = [pod.creation_time, pod.deletion_time].map(|seconds| seconds * Moment::SECOND);
        add_machine(&mut trace, request, pod.cpu_milli, pod.memory_mib, from, departures.then_some(to));
    }
    trace
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

/// The whole trace, where it is at hand.
#[test]
fn the_whole_trace_is_replayed_as_in_the_reference() {
    let Ok(text) = std::fs::read_to_string(shared().join("data/replay_reference.json")) else { return };
    let readings: BTreeMap<String, ReferenceReading> = serde_json::from_str(&text).unwrap();
    for (name, first_hosts, departures, enforce) in [
        ("R1", usize::MAX, true, true),
        ("R2", usize::MAX, false, true),
        ("R3", usize::MAX, false, false),
        ("S6", 6, true, true),
    ] {
        let trace = trace(first_hosts, departures, enforce);
        for (policy, expected) in &readings[name].results {
            let found = run(&trace, &Reading::default(), &policy.to_lowercase(), 1);
            compare(&format!("{policy} on {name}"), &found, expected);
        }
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
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/replay/reference.json");
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
