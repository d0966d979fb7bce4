//! Random small instances, the same for the same seed.

use itertools::Itertools;
use rand::Rng;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Names that programs and languages for them may stumble over.
const NAMES: [&str; 7] = ["a", "b", "a&b", "inf", "é#1", "x-1", "e12"];
const RESOURCES: [&str; 3] = ["cpu", "disk_gib", "ports"];
/// Steps of amounts.
const STEPS: [&str; 4] = ["0.5", "0.35", "1", "0.000003"];
/// Sizes of the smallest thing in memory.
const PAGES: [u64; 5] = [1, 1, 7, 1024, 262_147];

/// What random instances are like.
pub struct Family {
    pub most_vms: usize,
    pub most_servers: usize,
}

/// A virtual machine before it is written down.
struct Wish {
    name: String,
    replicas: u64,
    pages: u64,
    /// By resource in steps.
    request: Vec<u64>,
    content: String,
}

/// The text of a random instance.
pub fn instance(seed: u64, family: &Family) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let vms = random.random_range(1..=family.most_vms);
    let steps: Vec<&str> = RESOURCES.iter().map(|_| *STEPS.choose(&mut random).unwrap()).collect();
    let resources = random.random_range(0..=RESOURCES.len());
    let page = *PAGES.choose(&mut random).unwrap();
    let mut text = format!("name: random-{seed}\nsharing:\n  page_kib: 4\n");
    if random.random_bool(0.4) {
        text.push_str("  optimum: first-m-of-the-order\n");
    }
    let wishes = match random.random_range(0..4) {
        0 => with_table(&mut random, vms, page, &mut text),
        kind => with_contents(&mut random, vms, page, kind, &mut text),
    };
    let wishes: Vec<Wish> = wishes
        .into_iter()
        .map(|wish| {
            let request =
                (0..resources).map(|_| random.random_range(0..=4) * random.random_range(0..=1)).collect();
            Wish { request, ..wish }
        })
        .collect();
    write_servers(&mut random, family.most_servers, &wishes, &steps[..resources], &mut text);
    text.push_str("  vms:\n");
    for wish in wishes {
        let request = (0..resources)
            .filter(|&resource| wish.request[resource] > 0)
            .map(|resource| {
                format!("{}: {}", RESOURCES[resource], times(wish.request[resource], steps[resource]))
            })
            .join(", ");
        let replicas =
            if wish.replicas > 1 { format!(", replicas: {}", wish.replicas) } else { String::new() };
        let Wish { name, pages, content, .. } = wish;
        writeln!(
            text,
            "    - {{name: \"{name}\"{replicas}, memory_pages: {pages}, request: {{{request}}}{content}}}"
        )
        .unwrap();
    }
    text
}

/// So many times a decimal number.
fn times(count: u64, step: &str) -> String {
    let (whole, part) = step.split_once('.').unwrap_or((step, ""));
    let digits = count * format!("{whole}{part}").parse::<u64>().unwrap();
    let scale = 10u64.pow(part.len() as u32);
    format!("{}.{:0width$}", digits / scale, digits % scale, width = part.len().max(1))
}

/// Memories that consist of components, of numbered pages, or of both.
fn with_contents(random: &mut ChaCha8Rng, vms: usize, page: u64, kind: u32, text: &mut String) -> Vec<Wish> {
    let components: Vec<u64> = (0..4).map(|_| random.random_range(1..=5) * page).collect();
    text.push_str("  components: {");
    let listed = components.iter().enumerate().map(|(number, pages)| format!("c{number}: {pages}"));
    writeln!(text, "{}}}", listed.collect_vec().join(", ")).unwrap();
    let mut wishes: Vec<Wish> = Vec::new();
    while wishes.iter().map(|wish| wish.replicas as usize).sum::<usize>() < vms {
        let number = wishes.len();
        let left = vms - wishes.iter().map(|wish| wish.replicas as usize).sum::<usize>();
        let replicas = if random.random_bool(0.2) { left.min(2) as u64 } else { 1 };
        let mut pages = random.random_range(0..=3) * page + random.random_range(0..=1);
        let mut content = String::new();
        if kind != 2 {
            let held: Vec<usize> = (0..components.len()).filter(|_| random.random_bool(0.45)).collect();
            pages += held.iter().map(|&component| components[component]).sum::<u64>();
            write!(content, ", components: [{}]", held.iter().map(|held| format!("c{held}")).join(", "))
                .unwrap();
        }
        if kind != 1 {
            let first = random.random_range(0..6) * page;
            let last = first + random.random_range(1..=5) * page - 1;
            let other = last + 1 + random.random_range(1..=3) * page;
            pages += last - first + 1 + page;
            write!(content, ", page_ranges: [[{first}, {last}], [{other}, {}]]", other + page - 1).unwrap();
        }
        if random.random_bool(0.1) {
            (pages, content) = (0, String::new());
        }
        wishes.push(Wish { name: NAMES[number].to_owned(), replicas, pages, request: Vec::new(), content });
    }
    wishes
}

/// Memories of which a table says what is shared, derived from random page classes.
fn with_table(random: &mut ChaCha8Rng, vms: usize, page: u64, text: &mut String) -> Vec<Wish> {
    let mut classes: BTreeMap<u32, u64> = BTreeMap::new();
    for _ in 0..random.random_range(1..=6) {
        let set = random.random_range(1..1u32 << vms);
        *classes.entry(set).or_default() += random.random_range(1..=5) * page + random.random_range(0..=1);
    }
    let sigma = |set: u32| -> u64 {
        classes.iter().filter(|&(class, _)| class & set == set).map(|(_, pages)| pages).sum()
    };
    let members = |set: u32| (0..vms).filter(move |vm| set >> vm & 1 == 1);
    let listed: Vec<String> = (1..1u32 << vms)
        .filter(|&set| set.count_ones() >= 2 && sigma(set) > 0)
        .map(|set| {
            let names = members(set).map(|vm| format!("\"{}\"", NAMES[vm])).join(", ");
            format!("    - {{vms: [{names}], pages: {}}}\n", sigma(set))
        })
        .collect();
    if !listed.is_empty() {
        write!(text, "  shared_pages:\n{}", listed.concat()).unwrap();
    }
    let wish = |vm: usize| Wish {
        name: NAMES[vm].to_owned(),
        replicas: 1,
        pages: sigma(1 << vm),
        request: Vec::new(),
        content: String::new(),
    };
    (0..vms).map(wish).collect()
}

/// Servers that are neither ample nor hopeless, mostly.
fn write_servers(random: &mut ChaCha8Rng, most: usize, wishes: &[Wish], steps: &[&str], text: &mut String) {
    let between = |random: &mut ChaCha8Rng, needs: &mut dyn Iterator<Item = (u64, u64)>| {
        let (mut greatest, mut total) = (0, 0);
        for (need, replicas) in needs {
            (greatest, total) = (greatest.max(need), total + need * replicas);
        }
        let least = greatest - u64::from(greatest > 0 && random.random_bool(0.1));
        random.random_range(least..=greatest.max(total * 3 / 4))
    };
    let free = random.random_bool(0.3);
    text.push_str("  servers:\n");
    for number in 0..random.random_range(1..=most) {
        let memory = between(random, &mut wishes.iter().map(|wish| (wish.pages, wish.replicas)));
        let mut capacity = Vec::new();
        for (resource, step) in steps.iter().enumerate() {
            let steps =
                between(random, &mut wishes.iter().map(|wish| (wish.request[resource], wish.replicas)));
            // The first server names every resource, as at least one must.
            if number == 0 || random.random_bool(0.7) {
                capacity.push(format!("{}: {}", RESOURCES[resource], times(steps, step)));
            }
        }
        let cost = ["1", "2", "0.75", "0"].choose(random).unwrap();
        let cost = if free { format!(", cost: {cost}") } else { String::new() };
        writeln!(
            text,
            "    - {{name: s{number}, memory_pages: {memory}, capacity: {{{}}}{cost}}}",
            capacity.join(", ")
        )
        .unwrap();
    }
}
