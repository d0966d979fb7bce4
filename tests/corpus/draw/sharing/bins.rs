//! Instances in which servers decide: their sizes, their order, their costs and their resources.

use super::{about, family, one_of, plain_servers, plain_vms, several, with_components};
use itertools::Itertools;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [
        about("unshared", "bin packing: no pages in common").draw(20, unshared),
        about("ties", "like servers and like virtual machines").draw(16, ties),
        about("exact-fit", "servers that are full to the last page, if the right ones meet")
            .draw(14, exact_fit),
        family("costs").draw(20, costs),
        about("resources", "several resources, each of which some servers do not limit").draw(16, resources),
        family("smallest-first").draw(14, |random| in_order(random, false)),
        family("largest-first").draw(14, |random| in_order(random, true)),
        about("first-m", "the least reach first, then the cost on the first m").draw(18, first_m),
        about("arrivals", "the same packing, whoever arrives first").draw(8, arrivals),
    ]
    .concat()
}

fn unshared(random: &mut ChaCha8Rng) -> Value {
    let vms = plain_vms(random, 4..=7, 3..=11, 0..=3);
    json!({"servers": plain_servers(random, 3..=5, 12..=22, 5..=9), "vms": vms})
}

fn ties(random: &mut ChaCha8Rng) -> Value {
    let kinds = random.random_range(1..=2);
    let vms = several("v", kinds, |_| {
        json!({
            "replicas": random.random_range(2..=3), "memory_pages": random.random_range(4..=7),
            "request": {"cpu": random.random_range(1..=2)}
        })
    });
    let pages = random.random_range(9..=15);
    let mut servers = vec![json!({"name": "s", "count": 4, "memory_pages": pages, "capacity": {"cpu": 4}})];
    if random.random_bool(0.5) {
        servers.push(json!({"name": "t", "count": 2, "memory_pages": pages + 3, "capacity": {"cpu": 4}}));
    }
    json!({"servers": servers, "vms": vms})
}

fn exact_fit(random: &mut ChaCha8Rng) -> Value {
    let full = random.random_range(2..=3);
    let room: Vec<u64> = (0..full + 1).map(|_| random.random_range(12..=24)).collect();
    let mut pieces: Vec<u64> = Vec::new();
    for &room in &room[..full] {
        let cuts =
            (0..random.random_range(1..=2)).map(|_| random.random_range(2..room - 1)).sorted().collect_vec();
        let ends = [&[0], cuts.as_slice(), &[room]].concat();
        pieces.extend(ends.iter().tuple_windows().map(|(from, to)| to - from).filter(|&piece| piece > 0));
    }
    pieces.shuffle(random);
    let vms = several("v", pieces.len(), |vm| json!({"memory_pages": pieces[vm]}));
    json!({"servers": several("s", room.len(), |server| json!({"memory_pages": room[server]})), "vms": vms})
}

fn costs(random: &mut ChaCha8Rng) -> Value {
    let (components, vms) = with_components(random, 1..=3, 4..=6);
    let mut servers = plain_servers(random, 3..=5, 14..=30, 3..=9);
    for server in &mut servers {
        server["cost"] = json!(one_of(random, &[0.0, 0.5, 1.0, 1.25, 2.0, 3.0, 1000.0]));
    }
    json!({"servers": servers, "components": components, "vms": vms})
}

fn resources(random: &mut ChaCha8Rng) -> Value {
    const NAMES: [&str; 3] = ["cpu", "ports", "storage_gib"];
    let vms = several("v", 6, |_| {
        let request = NAMES.map(|name| (name.to_owned(), json!(random.random_range(0..=6) as f64 / 2.0)));
        json!({"memory_pages": random.random_range(1..=6), "request": request.into_iter().collect::<Value>()})
    });
    let number = random.random_range(3..=4);
    let servers = several("s", number, |server| {
        let limited = NAMES.into_iter().filter(|_| server == 0 || random.random_bool(0.7)).collect_vec();
        let capacity = limited
            .into_iter()
            .map(|name| (name.to_owned(), json!(random.random_range(6..=14) as f64 / 2.0)));
        let capacity: Value = capacity.collect();
        json!({"memory_pages": random.random_range(10..=18), "capacity": capacity})
    });
    json!({"servers": servers, "vms": vms})
}

/// Servers of a few sizes, of which the online algorithms open the smallest or the largest first.
fn in_order(random: &mut ChaCha8Rng, largest_first: bool) -> Value {
    let (components, vms) = with_components(random, 2..=3, 5..=6);
    let mut sizes: Vec<u64> = (0..5).map(|_| one_of(random, &[12, 18, 24, 36])).sorted().collect();
    if largest_first {
        sizes.reverse();
    }
    let servers = several(
        "s",
        sizes.len(),
        |server| json!({"memory_pages": sizes[server], "capacity": {"cpu": sizes[server] / 4}}),
    );
    json!({"servers": servers, "components": components, "vms": vms})
}

fn first_m(random: &mut ChaCha8Rng) -> Value {
    let (components, vms) = with_components(random, 1..=3, 4..=6);
    let mut servers = plain_servers(random, 4..=6, 10..=26, 3..=8);
    if random.random_bool(0.5) {
        for server in &mut servers {
            server["cost"] = json!(one_of(random, &[1, 2, 3]));
        }
    }
    json!({"optimum": "first-m-of-the-order", "servers": servers, "components": components, "vms": vms})
}

fn arrivals(random: &mut ChaCha8Rng) -> Value {
    let (components, vms) = with_components(random, 2..=3, 5..=6);
    let mut arrival = vms.iter().map(|vm| vm["name"].clone()).collect_vec();
    arrival.shuffle(random);
    let servers = plain_servers(random, 4..=5, 14..=24, 5..=8);
    json!({"servers": servers, "components": components, "vms": vms, "arrival": arrival})
}
