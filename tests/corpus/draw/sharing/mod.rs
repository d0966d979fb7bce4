//! The instances of model sharing.

mod bins;
mod contents;
mod far;
mod impossible;
mod trivial;

use super::family::{Family, one_of, several};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::ops::RangeInclusive;

/// All of them, each an instance as it stands in files.
pub fn draw() -> Vec<Value> {
    [trivial::draw(), bins::draw(), contents::draw(), impossible::draw(), far::draw()].concat()
}

/// A family whose name says what it is about.
fn family(name: &'static str) -> Family {
    about(name, "")
}

/// A family that needs an explanation.
fn about(name: &'static str, description: &'static str) -> Family {
    Family { section: "sharing", name, description }
}

/// Virtual machines that share nothing.
fn plain_vms(
    random: &mut ChaCha8Rng,
    number: RangeInclusive<usize>,
    pages: RangeInclusive<u64>,
    cpu: RangeInclusive<u64>,
) -> Vec<Value> {
    plain(random, ("v", "request"), number, pages, cpu)
}

/// Servers of several sizes.
fn plain_servers(
    random: &mut ChaCha8Rng,
    number: RangeInclusive<usize>,
    pages: RangeInclusive<u64>,
    cpu: RangeInclusive<u64>,
) -> Vec<Value> {
    plain(random, ("s", "capacity"), number, pages, cpu)
}

/// Things with pages and cores; the stem of their names, and the key under which files have the cores.
fn plain(
    random: &mut ChaCha8Rng,
    (stem, cores): (&str, &str),
    number: RangeInclusive<usize>,
    pages: RangeInclusive<u64>,
    cpu: RangeInclusive<u64>,
) -> Vec<Value> {
    let number = random.random_range(number);
    several(stem, number, |_| {
        json!({
            "memory_pages": random.random_range(pages.clone()),
            (cores): {"cpu": random.random_range(cpu.clone())}
        })
    })
}

/// Components `c0`, `c1`, … by name, and virtual machines that have some of them beside pages of their own.
fn with_components(
    random: &mut ChaCha8Rng,
    components: RangeInclusive<usize>,
    vms: RangeInclusive<usize>,
) -> (Value, Vec<Value>) {
    let sizes: Vec<u64> = (0..random.random_range(components)).map(|_| random.random_range(2..=8)).collect();
    let number = random.random_range(vms);
    let vms = several("v", number, |_| {
        let held: Vec<usize> = (0..sizes.len()).filter(|_| random.random_bool(0.5)).collect();
        let shared: u64 = held.iter().map(|&component| sizes[component]).sum();
        let names: Vec<String> = held.iter().map(|component| format!("c{component}")).collect();
        json!({
            "memory_pages": shared + random.random_range(1..=4),
            "request": {"cpu": random.random_range(1..=3)},
            "components": names
        })
    });
    let named = (0..).zip(&sizes).map(|(component, &size)| (format!("c{component}"), json!(size)));
    (named.collect::<serde_json::Map<_, _>>().into(), vms)
}
