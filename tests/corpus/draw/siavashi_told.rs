//! Instances of model siavashi that are told outright, from trivial ones to those in which everything is alike.

use serde_json::{Value, json};

const A100: &str = "A100-40GB";

/// All of them.
pub fn all() -> Vec<Value> {
    [trivial(), ties(), symmetric(), never_placeable(), eviction()].concat()
}

/// What is told of an instance: what it is about, its hosts and its workloads; residents keep a place or may be evicted.
type Told = (&'static str, Vec<Value>, Vec<Value>, &'static str);

/// Instances of a family, numbered.
fn family(name: &str, told: Vec<Told>) -> Vec<Value> {
    let instance = |(number, (description, hosts, workloads, residents)): (usize, Told)| {
        json!({
            "name": format!("{name}-{:03}", number + 1),
            "description": description,
            "family": name,
            "hosts": hosts,
            "workloads": workloads,
            "siavashi": {"residents": residents},
        })
    };
    told.into_iter().enumerate().map(instance).collect()
}

/// Hosts with so many A100 each.
fn hosts(gpus: &[usize]) -> Vec<Value> {
    let host = |(number, count): (usize, &usize)| json!({"name": format!("m{number}"), "gpus": {"board": A100, "count": count}});
    gpus.iter().enumerate().map(host).collect()
}

/// Hosts with an A100 and so many cores each.
fn hosts_with_cores(cores: &[usize]) -> Vec<Value> {
    let host = |(number, cores): (usize, &usize)| json!({"name": format!("m{number}"), "cpu": cores, "gpus": {"board": A100}});
    cores.iter().enumerate().map(host).collect()
}

fn newcomer(name: &str, profile: &str) -> Value {
    json!({"name": name, "profile": profile})
}

fn runs(name: &str, profile: &str, gpu: &str, start: u8) -> Value {
    json!({"name": name, "profile": profile, "current": {"gpu": gpu, "start": start}})
}

fn with_cores(mut workload: Value, cores: usize) -> Value {
    workload["cpu"] = json!(cores);
    workload
}

fn several(count: usize, profile: &str) -> Vec<Value> {
    (0..count).map(|number| newcomer(&format!("w{number}"), profile)).collect()
}

fn trivial() -> Vec<Value> {
    let pinned =
        json!({"name": "w0", "profile": "1g.5gb", "current": {"gpu": "m0/0", "start": 5}, "movable": false});
    family(
        "trivial",
        vec![
            ("nothing to place", hosts(&[1]), vec![], "evictable"),
            ("nothing to place on three machines", hosts(&[1, 2, 1]), vec![], "keep"),
            ("one newcomer, one GPU", hosts(&[1]), several(1, "2g.10gb"), "evictable"),
            ("one newcomer, two machines", hosts(&[1, 1]), several(1, "3g.20gb"), "evictable"),
            ("one that runs", hosts(&[1, 1]), vec![runs("w0", "1g.5gb", "m1/0", 3)], "keep"),
            (
                "one that runs and may be evicted",
                hosts(&[2]),
                vec![runs("w0", "1g.5gb", "m0/1", 3)],
                "evictable",
            ),
            ("a whole GPU", hosts(&[1]), several(1, "7g.40gb"), "evictable"),
            (
                "a GPU is full",
                hosts(&[1]),
                vec![runs("w0", "7g.40gb", "m0/0", 0), newcomer("w1", "1g.5gb")],
                "keep",
            ),
            ("a pinned workload alone", hosts(&[1]), vec![pinned], "evictable"),
        ],
    )
}

/// Several placements are equally good.
fn ties() -> Vec<Value> {
    let spread = |profile: &str, start: u8, machines: usize| -> Vec<Value> {
        (0..machines)
            .map(|number| runs(&format!("w{number}"), profile, &format!("m{number}/0"), start))
            .collect()
    };
    let beside = |mut workloads: Vec<Value>, newcomers: usize, profile: &str| {
        workloads.extend((0..newcomers).map(|number| newcomer(&format!("n{number}"), profile)));
        workloads
    };
    family(
        "ties",
        vec![
            ("either machine will do", hosts(&[1, 1]), several(2, "3g.20gb"), "evictable"),
            ("two of three must share", hosts(&[1, 1]), several(3, "3g.20gb"), "evictable"),
            ("one machine may be vacated, no matter which", hosts(&[1, 1]), spread("3g.20gb", 4, 2), "keep"),
            ("two of three machines may be vacated", hosts(&[1, 1, 1]), spread("2g.10gb", 0, 3), "keep"),
            ("one of four stays in use", hosts(&[1, 1, 1, 1]), spread("1g.5gb", 6, 4), "evictable"),
            (
                "alike newcomers beside alike residents",
                hosts(&[1, 1]),
                beside(spread("3g.20gb", 0, 2), 2, "3g.20gb"),
                "keep",
            ),
            (
                "a resident is as good as a newcomer",
                hosts(&[1]),
                beside(spread("7g.40gb", 0, 1), 1, "7g.40gb"),
                "evictable",
            ),
            ("one of two newcomers is rejected", hosts(&[1]), several(2, "7g.40gb"), "evictable"),
            (
                "two GPUs of one machine, or one of two machines",
                hosts(&[2, 1, 1]),
                several(2, "4g.20gb"),
                "evictable",
            ),
            (
                "any of the alike newcomers has the media engines",
                hosts(&[1]),
                several(3, "1g.5gb+me"),
                "evictable",
            ),
        ],
    )
}

/// Machines that all carry the same.
fn symmetric() -> Vec<Value> {
    let contents: [&[(&str, u8)]; 5] = [
        &[("1g.5gb", 0), ("2g.10gb", 4)],
        &[("3g.20gb", 4)],
        &[("1g.10gb", 2), ("1g.5gb", 5)],
        &[("2g.10gb", 0), ("2g.10gb", 2)],
        &[("4g.20gb", 0)],
    ];
    let mut told = Vec::new();
    for residents in ["keep", "evictable"] {
        for content in contents {
            let on = |machine: usize| {
                content.iter().enumerate().map(move |(number, &(profile, start))| {
                    runs(&format!("w{machine}-{number}"), profile, &format!("m{machine}/0"), start)
                })
            };
            let mut workloads: Vec<Value> = (0..2).flat_map(on).collect();
            workloads.push(newcomer("n0", "4g.20gb"));
            told.push(("two machines that carry the same", hosts(&[1, 1]), workloads, residents));
        }
    }
    family("symmetric", told)
}

/// Workloads that no machine can take, whatever else there is.
fn never_placeable() -> Vec<Value> {
    let too_many_cores = |others: usize| {
        let mut workloads = several(others, "1g.5gb");
        workloads.push(with_cores(newcomer("large", "1g.5gb"), 9));
        workloads
    };
    let mut too_much_memory = several(2, "2g.10gb");
    too_much_memory[0]["memory_gib"] = json!(64);
    let mut small = hosts(&[1, 1]);
    small.iter_mut().for_each(|host| host["memory_gib"] = json!(32));
    family(
        "never-placeable",
        vec![
            ("more cores than any machine has", hosts_with_cores(&[8, 4]), too_many_cores(0), "evictable"),
            (
                "more cores than any machine has, beside others",
                hosts_with_cores(&[8, 4]),
                too_many_cores(3),
                "keep",
            ),
            ("more memory than any machine has", small, too_much_memory, "evictable"),
            ("a profile that no board has", hosts(&[1]), several(1, "4g.24gb"), "evictable"),
            (
                "a profile that no board has, beside others",
                hosts(&[1, 1]),
                vec![newcomer("w0", "2g.12gb"), newcomer("w1", "3g.20gb")],
                "keep",
            ),
        ],
    )
}

/// As printed it is cheaper to stop what runs than to move it.
fn eviction() -> Vec<Value> {
    let mut told = Vec::new();
    for residents in ["evictable", "keep"] {
        for twice in [1, 2] {
            let mut other = with_cores(newcomer("other", "3g.20gb"), 4);
            other["acceptance_weight"] = json!(twice);
            let like = with_cores(newcomer("like", "3g.20gb"), 8);
            let resident = with_cores(runs("runs", "3g.20gb", "m1/0", 0), 2 * twice);
            let workloads = vec![resident, like, other];
            told.push((
                "the newcomers take the cores of what runs",
                hosts_with_cores(&[8, 4]),
                workloads,
                residents,
            ));
        }
    }
    family("eviction", told)
}
