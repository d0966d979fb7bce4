//! Instances whose optimum can be seen.

use super::{about, family, one_of, plain_servers, plain_vms, several};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [
        family("one-vm").draw(8, one_vm),
        about("one-server", "one server, whose memory is just that of all together, or a page less")
            .draw(8, one_server),
        about("no-needs", "some virtual machines need nothing, but a server that is in use")
            .draw(6, no_needs),
        about("all-alike", "everybody has the same pages, so that only the cores decide").draw(12, all_alike),
    ]
    .concat()
}

fn one_vm(random: &mut ChaCha8Rng) -> Value {
    let mut servers = plain_servers(random, 1..=3, 6..=12, 2..=4);
    for server in &mut servers {
        server["cost"] = json!(one_of(random, &[1, 1, 2, 3]));
    }
    json!({"servers": servers, "vms": plain_vms(random, 1..=1, 1..=6, 1..=2)})
}

fn one_server(random: &mut ChaCha8Rng) -> Value {
    let common = random.random_range(1..=9);
    let own: Vec<u64> = (0..random.random_range(2..=6)).map(|_| random.random_range(0..=5)).collect();
    let vms =
        several("v", own.len(), |vm| json!({"memory_pages": common + own[vm], "components": ["system"]}));
    let room = common + own.iter().sum::<u64>() - u64::from(random.random_bool(0.25));
    json!({"servers": [{"name": "s", "memory_pages": room}], "components": {"system": common}, "vms": vms})
}

fn no_needs(random: &mut ChaCha8Rng) -> Value {
    let number = random.random_range(2..=5);
    let vms = several("v", number, |_| match random.random_bool(0.5) {
        true => json!({"memory_pages": 0}),
        false => json!({"memory_pages": random.random_range(1..=5), "request": {"cpu": 1}}),
    });
    let mut servers = plain_servers(random, 2..=4, 5..=9, 2..=3);
    for server in &mut servers {
        server["cost"] = json!(one_of(random, &[0, 1, 2]));
    }
    json!({"servers": servers, "vms": vms})
}

fn all_alike(random: &mut ChaCha8Rng) -> Value {
    let pages = random.random_range(3..=20);
    let number = random.random_range(3..=6);
    let vms = several(
        "v",
        number,
        |_| json!({"request": {"cpu": random.random_range(1..=4)}, "components": ["system"]}),
    );
    let servers = several(
        "s",
        4,
        |_| json!({"memory_pages": pages + random.random_range(0..=2), "capacity": {"cpu": random.random_range(4..=8)}}),
    );
    json!({"servers": servers, "components": {"system": pages}, "vms": vms})
}
