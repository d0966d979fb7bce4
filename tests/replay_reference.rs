//! Replays as an independent implementation has them, number by number and place by place.

use migopt::cluster::{
    Amount, BoardIndex, Cluster, Gpu, Host, HostIndex, MemoryUnit, Request, RequestIndex, Workload,
};
use migopt::mig::{Lookup, catalogue};
use migopt::model::siavashi::heuristic::policy_named;
use migopt::replay::{Moment, OnlineOperator, Reading, Replay, Trace, Visit, replay};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;

const PROFILES: [&str; 6] = ["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"];

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
    let Lookup::Found(board) = catalogue().find("A100-40GB") else { panic!("the catalogue has it") };
    let profiles = PROFILES.map(|name| board.find_profile(name).unwrap());
    let mut cluster = Cluster {
        name: "trace".to_owned(),
        memory_unit: MemoryUnit::Mebibyte,
        hosts: Vec::new(),
        gpus: Vec::new(),
        boards: vec![board],
        requests: profiles
            .iter()
            .zip(PROFILES)
            .map(|(&profile, name)| Request { names: vec![name.to_owned()], on_board: vec![Some(profile)] })
            .collect(),
        workloads: Vec::new(),
    };
    for (number, node) in nodes.iter().take(first_hosts).enumerate() {
        let host = Some(HostIndex::at(number));
        cluster.hosts.push(Host {
            name: format!("h{number}"),
            cpu: enforce.then(|| Amount::from_millionths(node.cpu_milli * 1000)),
            memory: enforce.then(|| Amount::whole(node.memory_mib)),
            weight: None,
        });
        cluster.gpus.extend((0..node.gpu).map(|gpu| Gpu {
            name: format!("h{number}/{gpu}"),
            host,
            board: BoardIndex(0),
        }));
    }
    let mut visits = Vec::new();
    for (number, pod) in pods.iter().enumerate() {
        let asked = f64::from(pod.num_gpu * pod.gpu_milli) / 1000.0;
        if !(low..=high).contains(&(pod.creation_time as f64)) || asked > 1.0 {
            continue;
        }
        let distance = |weight: f64| (weight / 56.0 - asked).abs();
        let weights = [1.0, 2.0, 4.0, 12.0, 16.0, 56.0].map(distance);
        let request = (0..6).min_by(|&one, &other| weights[one].total_cmp(&weights[other])).unwrap();
        cluster.workloads.push(Workload {
            name: format!("vm{number}"),
            request: RequestIndex::at(request),
            cpu: Amount::from_millionths(pod.cpu_milli * 1000),
            memory: Amount::whole(pod.memory_mib),
            movable: true,
            current: None,
            reward: None,
            migration_cost: None,
            acceptance_weight: None,
            migration_weight: None,
        });
        let moment = |seconds: u64| Moment(seconds * Moment::SECOND);
        visits.push(Visit {
            arrival: moment(pod.creation_time),
            departure: departures.then(|| moment(pod.deletion_time)),
        });
    }
    Trace { cluster, visits }
}

fn run(trace: &Trace, reading: &Reading, policy: &str, consolidates_every: u64) -> Replay {
    let online = policy_named(policy).unwrap();
    let mut operator = OnlineOperator::new(trace, &*online, NonZeroU64::new(consolidates_every).unwrap());
    replay(trace, reading, policy, &mut operator, &mut |_| ControlFlow::Continue(())).unwrap()
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
            println!("{name} {policy} {:.3} s", found.document.seconds);
            compare(&format!("{policy} on {name}"), &found, expected);
        }
    }
}
