//! Instances on which a heuristic opens far more servers than the optimum, or leaves somebody without one.

use super::{about, one_of, plain_servers, with_components};
use crate::brute_force::{Tried, sharing::best};
use ground::{Amount, SourceText};
use itertools::Itertools;
use kit::choose_heuristic;
use models::Instance;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sharing::{HEURISTICS, verify};

/// How instances of a kind are drawn.
type Kind = fn(&mut ChaCha8Rng) -> Value;

/// The kinds: like servers, servers of several sizes, and of several prices.
const KINDS: [Kind; 3] = [like_servers, sizes, prices];

/// A heuristic, the name of its family, and by kind the seeds of instances.
type Far = (&'static str, &'static str, [&'static [u64]; 3]);

/// By heuristic and kind the seeds below [`SEEDS`] of some of the worst packings, as [`the_worst_seeds`] lists them; each seed of
/// a kind once. On like servers `offline` is always right.
const WORST: [Far; 9] = [
    ("nf", "far-nf", [&[1048, 371], &[239, 2944], &[3745, 117]]),
    ("ff", "far-ff", [&[333, 1130], &[493, 1436], &[1924, 937]]),
    ("bf", "far-bf", [&[1250, 1995], &[1406, 610], &[477, 809]]),
    ("wf", "far-wf", [&[2667, 7], &[786, 117], &[9, 3991]]),
    ("nfs", "far-nfs", [&[4398, 752], &[895, 792], &[262, 2112]]),
    ("ffs", "far-ffs", [&[3707, 47], &[672, 2390], &[363, 1121]]),
    ("bfs", "far-bfs", [&[2993, 76], &[91, 3583], &[1529, 2390]]),
    ("wfs", "far-wfs", [&[1010, 273], &[1248, 4538], &[4010, 266]]),
    ("offline", "far-offline", [&[], &[20, 83, 290, 319], &[1833, 2296, 382, 429]]),
];

/// Seeds that the search looks at.
const SEEDS: u64 = 5000;

pub fn draw() -> Vec<Value> {
    let of_heuristic = |&(_, name, seeds): &Far| {
        let drawn = of_kinds(seeds).map(|(kind, seed)| kind(&mut ChaCha8Rng::seed_from_u64(seed)));
        about(name, "among thousands of its kind one on which the heuristic does worst").of(drawn)
    };
    WORST.iter().flat_map(of_heuristic).collect()
}

/// Every seed with its kind.
fn of_kinds(seeds: [&'static [u64]; 3]) -> impl Iterator<Item = (Kind, u64)> {
    KINDS.into_iter().zip(seeds).flat_map(|(kind, seeds)| seeds.iter().map(move |&seed| (kind, seed)))
}

fn like_servers(random: &mut ChaCha8Rng) -> Value {
    let (components, vms) = with_components(random, 2..=3, 6..=7);
    let mut servers = plain_servers(random, 1..=1, 14..=30, 4..=9);
    servers[0]["count"] = json!(7);
    json!({"servers": servers, "components": components, "vms": vms})
}

fn sizes(random: &mut ChaCha8Rng) -> Value {
    let (components, vms) = with_components(random, 1..=3, 6..=7);
    let servers = plain_servers(random, 5..=7, 12..=44, 3..=16);
    json!({"servers": servers, "components": components, "vms": vms})
}

fn prices(random: &mut ChaCha8Rng) -> Value {
    let mut section = sizes(random);
    for server in section["servers"].as_array_mut().expect("a list of servers") {
        server["cost"] = json!(one_of(random, &[1.0, 1.5, 2.0, 4.0]));
    }
    section
}

/// An instance of a kind that has a packing, and what the best one costs.
fn solvable(kind: Kind, seed: u64) -> Option<(Instance, Amount)> {
    let text =
        json!({"name": "candidate", "sharing": kind(&mut ChaCha8Rng::seed_from_u64(seed))}).to_string();
    let instance = Instance::parse(SourceText::new("candidate.json", text)).expect("it is an instance");
    match best(&instance) {
        Tried::Best(values) => Some((instance, values[0])),
        _ => None,
    }
}

/// What a heuristic costs as a multiple of the optimum; infinite if it leaves somebody without a server.
fn excess(heuristic: &str, instance: &Instance, optimum: Amount) -> f64 {
    let problem = instance.problem::<sharing::Sharing>().expect("it has the section");
    let packing = choose_heuristic(HEURISTICS, heuristic).expect("it is registered").propose(&problem, 0);
    let verification = verify(&problem, &packing);
    match verification.violations.is_empty() {
        true => verification.score.cost.to_f64() / optimum.to_f64(),
        false => f64::INFINITY,
    }
}

/// None of them finds the optimum.
#[test]
fn heuristics_are_far_from_the_optimum() {
    for (heuristic, _, seeds) in WORST {
        for (kind, seed) in of_kinds(seeds) {
            let (instance, optimum) = solvable(kind, seed).expect("there is a packing");
            assert!(excess(heuristic, &instance, optimum) > 1.0, "{heuristic} {seed}");
        }
    }
}

/// Lists, by kind and heuristic, seeds with somebody left out and those with the greatest multiple of the optimum.
#[test]
#[ignore = "a search of minutes"]
fn the_worst_seeds() {
    for (position, kind) in KINDS.into_iter().enumerate() {
        let instances = (0..SEEDS).filter_map(|seed| Some((seed, solvable(kind, seed)?))).collect_vec();
        for (heuristic, _, _) in WORST {
            let excess = |(instance, optimum): &(Instance, Amount)| excess(heuristic, instance, *optimum);
            let found = instances.iter().map(|(seed, about)| (excess(about), *seed));
            let ranked = found.sorted_by(|one, other| other.0.total_cmp(&one.0)).collect_vec();
            let stranded = ranked.iter().filter(|(excess, _)| excess.is_infinite()).take(9).collect_vec();
            let packed = ranked
                .iter()
                .filter(|(excess, _)| excess.is_finite() && *excess > 1.0)
                .take(20)
                .collect_vec();
            println!("{position} {heuristic}: {stranded:?}, {packed:?}");
        }
    }
}
