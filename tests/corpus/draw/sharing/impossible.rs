//! Instances without a packing, of each kind.

use super::{about, one_of, plain_vms, several};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [
        about("no-home", "infeasible: a virtual machine fits no server, not even alone").draw(10, no_home),
        about("too-little-memory", "infeasible: all servers together have too few pages")
            .draw(8, too_little_memory),
        about("too-few-cores", "infeasible: all servers together have too little of a resource")
            .draw(8, too_few_cores),
        about("no-packing", "infeasible, although everybody has a home and the sums suffice")
            .draw(14, no_packing),
    ]
    .concat()
}

/// Too much memory, too many cores, or each on a server that lacks the other.
fn no_home(random: &mut ChaCha8Rng) -> Value {
    let mut vms = plain_vms(random, 1..=4, 2..=6, 1..=2);
    let (pages, cpu) = one_of(random, &[(21, 1), (2, 9), (15, 6)]);
    vms.push(json!({"name": "homeless", "memory_pages": pages, "request": {"cpu": cpu}}));
    let servers = json!([
        {"name": "s", "count": 3, "memory_pages": 20, "capacity": {"cpu": 4}},
        {"name": "t", "memory_pages": 10, "capacity": {"cpu": 8}}
    ]);
    json!({"servers": servers, "vms": vms})
}

fn too_little_memory(random: &mut ChaCha8Rng) -> Value {
    let common = random.random_range(2..=6);
    let own: Vec<u64> = (0..5).map(|_| random.random_range(5..=9)).collect();
    let vms =
        several("v", own.len(), |vm| json!({"memory_pages": common + own[vm], "components": ["system"]}));
    let needed = common + own.iter().sum::<u64>();
    let half = (needed - 1) / 2;
    let servers =
        json!([{"name": "s", "memory_pages": half}, {"name": "t", "memory_pages": needed - 1 - half}]);
    json!({"servers": servers, "components": {"system": common}, "vms": vms})
}

fn too_few_cores(random: &mut ChaCha8Rng) -> Value {
    let cpu: Vec<u64> = (0..6).map(|_| random.random_range(1..=4)).collect();
    let vms = several("v", cpu.len(), |vm| json!({"memory_pages": 1, "request": {"cpu": cpu[vm]}}));
    let lacking = cpu.iter().sum::<u64>() - 1;
    let servers = several("s", 2, |server| {
        let capacity = if server == 0 { lacking / 2 } else { lacking - lacking / 2 };
        json!({"memory_pages": 9, "capacity": {"cpu": capacity}})
    });
    json!({"servers": servers, "vms": vms})
}

/// Three large ones for two servers; or those that share pages cannot meet, for their cores.
fn no_packing(random: &mut ChaCha8Rng) -> Value {
    if random.random_bool(0.5) {
        let half = random.random_range(6..=10);
        let vms = several("v", 3, |_| json!({"memory_pages": half + random.random_range(1..=2_u64)}));
        return json!({"servers": [{"name": "s", "count": 2, "memory_pages": 2 * half + 1}], "vms": vms});
    }
    let (common, own) = (random.random_range(6..=12), random.random_range(1..=3));
    let vms = several("v", 4, |vm| {
        let request = json!({"cpu": if vm < 2 { 4 } else { 2 }});
        let component = if vm < 2 { "linux" } else { "windows" };
        json!({"memory_pages": common + own, "request": request, "components": [component]})
    });
    let room = 2 * common + 2 * own - random.random_range(1..=2);
    let servers = json!([{"name": "s", "count": 2, "memory_pages": room, "capacity": {"cpu": 6}}]);
    json!({"servers": servers, "components": {"linux": common, "windows": common}, "vms": vms})
}
