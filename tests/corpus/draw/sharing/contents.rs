//! Instances in which pages decide: what the memories have in common, and how the file says so.

use super::{about, family, one_of, plain_servers, several, with_components};
use itertools::Itertools;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use support::sharing::random;

pub fn draw() -> Vec<Value> {
    [
        family("components").draw(16, components),
        about("stubborn", "neither sums nor prices of patterns prove the optimum: it takes a program")
            .of(STUBBORN.into_iter().map(stubborn)),
        about("ranges", "ranges of numbered pages that overlap").draw(14, ranges),
        about("replicas", "replicas share components and have pages of their own").draw(12, replicas),
        about("sigma", "a table of the pages that sets have in common").draw(20, sigma),
        about("loose-classes", "each page class is needed by two neighbours on a cycle or in a complete graph, so that bounds by classes fall short")
            .draw(14, loose_classes),
        about("gib", "memory in GiB, which are rounded to pages").draw(8, gib),
        about("mixed", "strange names, tiny decimals, large pages, and all ways of giving contents").draw(24, mixed),
    ]
    .concat()
}

fn components(random: &mut ChaCha8Rng) -> Value {
    let (components, vms) = with_components(random, 2..=4, 4..=6);
    json!({"servers": plain_servers(random, 3..=4, 14..=30, 4..=9), "components": components, "vms": vms})
}

/// Seeds below 400 of instances that take a program, as [`tests::stubborn_instances_take_a_program`] checks.
const STUBBORN: [u64; 20] =
    [11, 34, 35, 95, 100, 111, 139, 151, 167, 198, 249, 255, 258, 266, 281, 338, 353, 369, 379, 382];

fn stubborn(seed: u64) -> Value {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let (components, vms) = with_components(random, 3..=4, 6..=7);
    json!({"servers": plain_servers(random, 4..=5, 13..=24, 4..=7), "components": components, "vms": vms})
}

fn ranges(random: &mut ChaCha8Rng) -> Value {
    let number = random.random_range(4..=6);
    let vms = several("v", number, |_| {
        let (first, other) = (random.random_range(0..10), random.random_range(16..20));
        let ranges =
            [[first, first + random.random_range(0..=5)], [other, other + random.random_range(0..=3)]];
        json!({"page_ranges": ranges, "request": {"cpu": random.random_range(1..=2)}})
    });
    json!({"servers": plain_servers(random, 3..=4, 10..=16, 3..=6), "vms": vms})
}

fn replicas(random: &mut ChaCha8Rng) -> Value {
    let sizes: Vec<u64> = (0..2).map(|_| random.random_range(4..=9)).collect();
    let vms = several("v", 2, |vm| {
        let held = if random.random_bool(0.3) { vec!["c0", "c1"] } else { vec![["c0", "c1"][vm]] };
        json!({
            "replicas": random.random_range(2..=3), "memory_pages": 18 + random.random_range(1..=5),
            "request": {"cpu": random.random_range(1..=2)}, "components": held
        })
    });
    let room = random.random_range(30..=48);
    let servers = json!([
        {"name": "s", "count": 3, "memory_pages": room, "capacity": {"cpu": 4}},
        {"name": "t", "memory_pages": room + 9, "capacity": {"cpu": 6}, "cost": one_of(random, &[1.0, 1.5])}
    ]);
    json!({"servers": servers, "components": {"c0": sizes[0], "c1": sizes[1]}, "vms": vms})
}

/// Page classes by the set of those that need them, as a table of what sets have in common.
fn table(
    vms: usize,
    classes: &BTreeMap<u32, u64>,
    others: impl Fn(usize) -> Value,
) -> (Vec<Value>, Vec<Value>) {
    let common = |set: u32| -> u64 {
        classes.iter().filter(|&(class, _)| class & set == set).map(|(_, pages)| pages).sum()
    };
    let sets = (1..1_u32 << vms).filter(|&set| set.count_ones() >= 2 && common(set) > 0);
    let entry = |set: u32| {
        let names = (0..vms).filter(|vm| set >> vm & 1 == 1).map(|vm| format!("v{vm}")).collect_vec();
        json!({"vms": names, "pages": common(set)})
    };
    let vms = several("v", vms, |vm| {
        let mut about = others(vm);
        about["memory_pages"] = json!(common(1 << vm));
        about
    });
    (vms, sets.map(entry).collect())
}

fn sigma(random: &mut ChaCha8Rng) -> Value {
    let number = random.random_range(3..=5);
    let mut classes: BTreeMap<u32, u64> =
        (0..number).map(|vm| (1 << vm, random.random_range(1..=6))).collect();
    for _ in 0..random.random_range(2..=5) {
        *classes.entry(random.random_range(1..1 << number)).or_default() += random.random_range(1..=6);
    }
    let cpu: Vec<u64> = (0..number).map(|_| random.random_range(0..=3)).collect();
    let (vms, shared) = table(number, &classes, |vm| json!({"request": {"cpu": cpu[vm]}}));
    json!({"servers": plain_servers(random, 2..=4, 14..=24, 3..=8), "vms": vms, "shared_pages": shared})
}

fn loose_classes(random: &mut ChaCha8Rng) -> Value {
    let number = random.random_range(4..=7_usize);
    let edge = random.random_range(2..=6);
    let edges: Vec<u32> = match number > 5 || random.random_bool(0.5) {
        true => (0..number).map(|vm| 1 << vm | 1 << ((vm + 1) % number)).collect(),
        false => (0..number).tuple_combinations().map(|(one, other)| 1 << one | 1 << other).collect(),
    };
    let mut classes: BTreeMap<u32, u64> = edges.iter().map(|&pair| (pair, edge)).collect();
    let own = random.random_range(0..=2);
    classes.extend((0..number).map(|vm| (1 << vm, own)));
    let (vms, shared) = table(number, &classes, |_| json!({}));
    let together = edges.len() as u64 * edge + own * number as u64;
    let room = together * 2 / 3 + random.random_range(0..=1);
    json!({"servers": [{"name": "s", "count": 4, "memory_pages": room}], "vms": vms, "shared_pages": shared})
}

fn gib(random: &mut ChaCha8Rng) -> Value {
    let page_kib = one_of(random, &[4, 1024, 2048]);
    let pages = |mib: u64| mib * 1024 / page_kib;
    let vms = several("v", 5, |_| {
        json!({
            "type": "n1s1", "memory_gib": one_of(random, &[1.7, 2.0, 3.75, 0.6]), "request": {"cpu": 1},
            "components": [one_of(random, &["linux", "windows"])]
        })
    });
    let servers = several(
        "s",
        3,
        |_| json!({"memory_gib": random.random_range(8..=18) as f64 / 2.0, "capacity": {"cpu": 4}}),
    );
    json!({"page_kib": page_kib, "servers": servers, "components": {"linux": pages(400), "windows": pages(560)}, "vms": vms})
}

fn mixed(random: &mut ChaCha8Rng) -> Value {
    let text = random::instance(random.random(), &random::Family { most_vms: 6, most_servers: 3 });
    let mut file: Value = support::from_yaml(&text);
    file["sharing"].take()
}

#[cfg(test)]
mod tests {
    use super::{STUBBORN, stubborn};
    use kit::SolveOptions;
    use models::model_of;
    use serde_json::json;
    use sharing::Sharing;
    use solver::Control;
    use solvers::solvers;
    use support::instances::instance;

    #[test]
    fn stubborn_instances_take_a_program() {
        for seed in STUBBORN {
            let instance = instance(json!({"name": "stubborn", "sharing": stubborn(seed)}).to_string());
            let options = SolveOptions::exact(solvers()[0]);
            let result =
                model_of::<Sharing>().pose(&instance).unwrap().solve(&options, &Control::silent()).unwrap();
            assert!(result.work.columns > 0, "{seed}");
        }
    }
}
