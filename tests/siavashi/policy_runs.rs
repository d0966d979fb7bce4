//! Whole runs of the policies of Siavashi & Momtazpour: request by request as an independent implementation has them, and
//! valid on generated intervals.

use cluster::{HostResources, Location, OneOrMany, Placement, WorkloadIndex, check};
use fleet::{Fleet, Guest, Request, Supply, admit};
use ground::Amount;
use itertools::Itertools;
use mig::{FragmentationReading, SliceStart};
use models::InstanceFile;
use serde::Deserialize;
use siavashi::{
    BasketComparison, BestFit, FirstFit, Grmu, LookBack, MaxCapability, MaxExpectedCapability, Online,
    heuristics,
};
use siavashi::{GeneratorOptions, Mix, Problem, Residents, generate, verify};
use std::collections::BTreeMap;
use std::fmt::Write;
use support::board;
use support::siavashi::problem;

/// Requests, and what became of them.
#[derive(Deserialize)]
struct Fixture {
    hosts: Vec<Host>,
    arrivals: Vec<Arrival>,
    expected: BTreeMap<String, Outcome>,
}

#[derive(Deserialize)]
struct Host {
    cpu: u32,
    memory_gib: u32,
    gpus: u32,
}

#[derive(Deserialize)]
struct Arrival {
    profile: String,
    cpu: u32,
    memory_gib: u32,
    /// When it comes and leaves, in seconds, where that matters.
    #[serde(default)]
    from: u64,
    #[serde(default)]
    to: u64,
}

#[derive(Deserialize, PartialEq, Debug)]
struct Outcome {
    /// How often a request was given another start.
    migrations: usize,
    /// Arrival, GPU in global order, start.
    accepted: Vec<(u32, u32, u8)>,
}

fn read(name: &str) -> Fixture {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/siavashi_policies");
    support::from_yaml(&std::fs::read_to_string(format!("{folder}/{name}.yaml")).unwrap())
}

/// The requests as newcomers of an instance.
fn problem_of(fixture: &Fixture) -> Problem {
    let mut text = "name: fixture\nhosts:\n".to_owned();
    for (number, Host { cpu, memory_gib, gpus }) in fixture.hosts.iter().enumerate() {
        let gpus = format!("{{board: A100-40GB, count: {gpus}}}");
        writeln!(text, "  - {{name: h{number}, cpu: {cpu}, memory_gib: {memory_gib}, gpus: {gpus}}}")
            .unwrap();
    }
    text.push_str("workloads:\n");
    for (number, Arrival { profile, cpu, memory_gib, .. }) in fixture.arrivals.iter().enumerate() {
        let demand = format!("profile: {profile}, cpu: {cpu}, memory_gib: {memory_gib}");
        writeln!(text, "  - {{name: vm{number}, {demand}}}").unwrap();
    }
    problem(text)
}

#[test]
fn newcomers_of_an_interval_go_where_they_should() {
    for name in ["many-whole", "mostly-small", "one-gpu-hosts", "scarce-hosts", "uniform"] {
        let fixture = read(name);
        let problem = problem_of(&fixture);
        for (heuristic, expected) in &fixture.expected {
            let placement = kit::choose_heuristic(&heuristics(), heuristic).unwrap().propose(&problem, 0);
            let place =
                |workload| placement.of(workload).map(|place| (workload.0, place.gpu.0, place.start.0));
            let accepted = problem.cluster.workload_indices().filter_map(place).collect();
            assert_eq!(&Outcome { migrations: 0, accepted }, expected, "{heuristic} on {name}");
        }
    }
}

/// The heuristics by name, as the fixture with departures has them.
fn online(name: &str) -> Box<dyn Online> {
    let strict = Grmu {
        heavy_capacity: Amount::from_millionths(500_000),
        comparison: BasketComparison::Below,
        fragmentation: FragmentationReading::Reset,
        ..Grmu::PRINTED
    };
    match name {
        "ff" => Box::new(FirstFit),
        "bf" => Box::new(BestFit),
        "mcc" => Box::new(MaxCapability),
        "mecc" => Box::new(MaxExpectedCapability::ALL_REQUESTS),
        "mecc:look-back=3600" => Box::new(MaxExpectedCapability { look_back: LookBack::Time(3600) }),
        "grmu" => Box::new(Grmu::PRINTED),
        "grmu:fragmentation=reset" => {
            Box::new(Grmu { fragmentation: FragmentationReading::Reset, ..Grmu::PRINTED })
        }
        "grmu:heavy-capacity=0.5,fragmentation=reset,basket-comparison=below" => Box::new(strict),
        other => panic!("the fixture names {other}"),
    }
}

/// What happens at a time, in the order in which it happens there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    HourEnds,
    Leaves(usize),
    Arrives(usize),
}

#[test]
fn requests_that_come_and_go_find_the_same_places() {
    const HOUR: u64 = 3600;
    let fixture = read("departures");
    let problem = problem_of(&fixture);
    let cluster = &problem.cluster;
    let mut events: Vec<(u64, Event)> = Vec::new();
    for (number, arrival) in fixture.arrivals.iter().enumerate() {
        events.push((arrival.from, Event::Arrives(number)));
        events.push((arrival.to, Event::Leaves(number)));
    }
    let last = fixture.arrivals.last().unwrap().from;
    events.extend((1..=last / HOUR + 1).map(|hour| (hour * HOUR, Event::HourEnds)));
    events.sort();
    let request = |number: usize| {
        let workload = &cluster.workloads[number];
        let on_board = cluster.requests[workload.request.index()].on_board.as_slice();
        Request { on_board, cpu: workload.cpu, memory: workload.memory, movable: true, ruled: None }
    };
    for (name, expected) in &fixture.expected {
        let hosts = cluster.hosts.iter().map(|host| Supply { cpu: host.cpu, memory: host.memory });
        let mut fleet = Fleet::new(&cluster.boards, &cluster.gpus, hosts.collect());
        let mut policy = online(name).begin(&fleet);
        let mut outcome = Outcome { migrations: 0, accepted: Vec::new() };
        let mut rejected = false;
        for &(time, event) in &events {
            match event {
                Event::HourEnds => {
                    if std::mem::take(&mut rejected) {
                        outcome.migrations += policy.defragment(&mut fleet).len();
                    }
                }
                Event::Leaves(number) => {
                    let guest = Guest(number as u32);
                    if fleet.location(guest).is_some() {
                        fleet.remove(guest);
                    }
                }
                Event::Arrives(number) => {
                    let guest = Guest(number as u32);
                    match admit(policy.as_mut(), &mut fleet, guest, request(number), time) {
                        Some(place) => outcome.accepted.push((guest.0, place.gpu.0, place.start.0)),
                        None => rejected = true,
                    }
                }
            }
        }
        assert_eq!(&outcome, expected, "{name}");
    }
}

/// Every policy, with each value of its parameters.
const ALL: [&str; 28] = [
    "ff",
    "bf",
    "mcc",
    "mecc",
    "mecc:look-back=3",
    "mecc:look-back=24h",
    "grmu",
    "grmu:fragmentation=reset,basket-comparison=below",
    "grmu:heavy-capacity=0.5,consolidate=yes",
    "grmu:heavy-capacity=0,defragment=no,consolidate=yes",
    "dra",
    "dra:nodes=most-allocated",
    "dra:nodes=listed",
    "instaslice",
    "instaslice:nodes=listed",
    "hami",
    "hami:starts=by-name,nodes=spread,gpus=binpack",
    "hami:starts=longest-run",
    "nos",
    "nos:nodes=listed",
    "kai",
    "kai:geometry=all-1g,nodes=binpack",
    "fgd",
    "fgd:typical=profiles",
    "least-growth",
    "spread-then-pack",
    "first-fit-safe",
    "best-fit-safe",
];

const BOARDS: [&str; 4] = ["A100-40GB", "A100-80GB", "A30-24GB", "RTX PRO 6000 Blackwell 96GB"];

fn interval(board_name: &str, mix: Mix, seed: u64) -> InstanceFile {
    let options = GeneratorOptions {
        board: board(board_name),
        workloads: 20 + (seed % 4) as u32 * 8,
        load: [0.6, 1.0, 1.5][(seed % 3) as usize],
        mix,
        gpus_per_machine: 1 + (seed % 4) as u32,
        residents: 0.6,
        churn: 2.0,
        setting: Residents::Evictable,
        seed,
    };
    let mut file = InstanceFile::of::<siavashi::Siavashi>(generate(&options));
    let pinned = file.workloads.iter_mut().step_by(5).filter(|_| seed.is_multiple_of(2));
    pinned.for_each(|workload| workload.value.movable = workload.value.current.is_none());
    file
}

/// An interval on the machines of two, whose newcomers take a profile of either board where there is one like theirs.
fn merged(mut one: InstanceFile, mut other: InstanceFile) -> InstanceFile {
    other.hosts.iter_mut().for_each(|host| host.value.name = "other".to_owned());
    for workload in &mut other.workloads {
        workload.value.name.insert_str(0, "other-");
        if let Some(OneOrMany::One(spot)) = &mut workload.value.current {
            spot.gpu = spot.gpu.replace("pm-", "other-");
        }
    }
    const ALIKE: [(&str, &str); 4] =
        [("1g.5gb", "1g.6gb"), ("3g.20gb", "4g.24gb"), ("4g.20gb", "4g.24gb"), ("7g.40gb", "4g.24gb")];
    for workload in one.workloads.iter_mut().filter(|workload| workload.value.current.is_none()) {
        let OneOrMany::One(profile) = &workload.value.profile else { continue };
        if let Some((_, alike)) = ALIKE.iter().find(|(name, _)| name == profile) {
            workload.value.profile = OneOrMany::Many(vec![profile.clone(), (*alike).to_owned()]);
        }
    }
    one.hosts.append(&mut other.hosts);
    one.workloads.append(&mut other.workloads);
    one
}

fn intervals() -> Vec<Problem> {
    let mixes = [Mix::Light, Mix::Trace, Mix::Uniform, Mix::Heavy];
    let plain = BOARDS.iter().cartesian_product(mixes).cartesian_product(0..10);
    let plain = plain.map(|((board, mix), seed)| interval(board, mix, seed));
    let merged = mixes.into_iter().cartesian_product(0..10).map(|(mix, seed)| {
        let (one, other) = (interval("A100-40GB", mix, seed), interval("A30-24GB", mix, seed + 1));
        merged(one, other)
    });
    plain.chain(merged).map(|file| problem(serde_json::to_string(&file).unwrap())).collect()
}

#[test]
fn every_proposal_is_valid_and_repeatable() {
    let (mut restarted, mut consolidated) = (0, 0);
    for problem in intervals() {
        for text in ALL {
            let about = format!("{text} on {}", problem.cluster.name);
            let heuristic = kit::choose_heuristic(&heuristics(), text).unwrap();
            let placement = heuristic.propose(&problem, 1);
            assert_eq!(placement, heuristic.propose(&problem, 2), "{about}");
            let verdict = verify(&problem, &placement);
            assert_eq!(verdict.violations, [], "{about}");
            let score = verdict.score;
            assert_eq!(score.evicted, 0, "{about}");
            let (grmu, consolidates) = (heuristic.name() == "grmu", text.contains("consolidate=yes"));
            assert!(grmu || score.moved_start == 0, "{about}");
            assert!(consolidates || score.moved_machine + score.moved_gpu == 0, "{about}");
            restarted += score.moved_start;
            consolidated += score.moved_machine + score.moved_gpu;
        }
    }
    assert!(restarted > 20 && consolidated > 20, "{restarted} and {consolidated} migrations");
}

/// Nothing leaves within an interval, so that whoever was rejected finds no room at the end either.
#[test]
fn policies_without_baskets_reject_only_what_does_not_fit() {
    let mut rejected = 0;
    for problem in intervals().into_iter().step_by(7) {
        for text in ["ff", "bf", "mcc", "mecc"] {
            let placement = kit::choose_heuristic(&heuristics(), text).unwrap().propose(&problem, 0);
            let waiting = problem.cluster.workload_indices().filter(|&one| placement.of(one).is_none());
            for workload in waiting {
                rejected += 1;
                assert!(
                    !fits_somewhere(&problem, &placement, workload),
                    "{text} on {}",
                    problem.cluster.name
                );
            }
        }
    }
    assert!(rejected > 100, "{rejected} rejections");
}

fn fits_somewhere(problem: &Problem, placement: &Placement, workload: WorkloadIndex) -> bool {
    let mut tried = placement.clone();
    problem.cluster.gpu_indices().any(|gpu| {
        (0..problem.board(gpu).slots() as u8).map(SliceStart).any(|start| {
            tried.set(workload, Some(Location { gpu, start }));
            check(&problem.cluster, &tried, HostResources::Checked).is_empty()
        })
    })
}
