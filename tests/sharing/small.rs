//! Random tiny instances of model sharing, with the memory of every virtual machine as an explicit set of pages; and the usual options
//! of the generator.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sharing::{Detail, Family, GeneratorOptions, Optimum, ServerCost};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The generator's usual options for a family.
pub fn options(family: Family, vms: u32) -> GeneratorOptions {
    GeneratorOptions {
        family,
        vms: Some(vms),
        servers: None,
        low_thousandths: None,
        sharing: Detail::Lean,
        shuffle: 0,
        page_kib: 1024,
        cost: ServerCost::Unit,
        optimum: Optimum::AnyServers,
        seed: 1,
    }
}

/// A page: the kind of its origin, which one of them, and its number there.
pub type Page = (char, u64, u64);

/// A random instance with at most four servers and five virtual machines.
pub struct Case {
    /// Its file, with components, ranges of numbered pages and pages of its own for every virtual machine.
    pub by_content: String,
    /// The same with a table of common pages.
    pub by_table: String,
    /// The pages of each virtual machine.
    pub pages: Vec<BTreeSet<Page>>,
}

impl Case {
    pub fn draw(seed: u64) -> Case {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let servers = servers(random);
        let components: Vec<u64> =
            (0..random.random_range(0..5)).map(|_| random.random_range(1..6)).collect();
        let (mut contents, mut tables, mut pages) = (String::new(), String::new(), Vec::new());
        for vm in 0..random.random_range(1..6) {
            let held: Vec<usize> = (0..components.len()).filter(|_| random.random_bool(0.5)).collect();
            let first = random.random_range(0..8);
            let ranges = match random.random_range(0..3) {
                0 => vec![],
                1 => vec![(first, first + random.random_range(0..4))],
                _ => vec![(first + 5, first + 7), (first, first + random.random_range(0..4))],
            };
            let own = random.random_range(0..5);
            let mut all: BTreeSet<Page> = (0..own).map(|page| ('o', vm, page)).collect();
            all.extend(ranges.iter().flat_map(|&(first, last)| first..=last).map(|page| ('n', 0, page)));
            for &component in &held {
                all.extend((0..components[component]).map(|page| ('c', component as u64, page)));
            }
            let cpu = f64::from(random.random_range(0..8)) / 2.0;
            let about = format!("  - {{name: v{vm}, memory_pages: {}, request: {{cpu: {cpu}}}", all.len());
            let names: Vec<String> = held.iter().map(|component| format!("c{component}")).collect();
            let listed: Vec<String> =
                ranges.iter().map(|(first, last)| format!("[{first}, {last}]")).collect();
            let (names, listed) = (names.join(", "), listed.join(", "));
            writeln!(contents, "{about}, components: [{names}], page_ranges: [{listed}]}}").unwrap();
            writeln!(tables, "{about}}}").unwrap();
            pages.push(all);
        }
        let mut by_content = format!("name: x\nsharing:\n{servers}");
        if !components.is_empty() {
            by_content += "  components:\n";
        }
        for (component, size) in components.iter().enumerate() {
            writeln!(by_content, "    c{component}: {size}").unwrap();
        }
        writeln!(by_content, "  vms:\n{contents}").unwrap();
        let by_table = format!("name: x\nsharing:\n{servers}  vms:\n{tables}{}", table(&pages));
        Case { by_content, by_table, pages }
    }
}

fn servers(random: &mut ChaCha8Rng) -> String {
    let mut text = "  servers:\n".to_owned();
    let costs = random.random_bool(0.3);
    for server in 0..random.random_range(1..5) {
        let pages = random.random_range(8..30);
        // The first has every resource, so that virtual machines may request it.
        let cpu = match random.random_range(0..5) {
            0 if server > 0 => "disk: 3".to_owned(),
            _ => format!("cpu: {}", f64::from(random.random_range(2..16)) / 2.0),
        };
        let cost = if costs { random.random_range(1..4) } else { 1 };
        writeln!(text, "  - {{name: s{server}, memory_pages: {pages}, capacity: {{{cpu}}}, cost: {cost}}}")
            .unwrap();
    }
    text
}

/// All sets of two and more with common pages.
fn table(pages: &[BTreeSet<Page>]) -> String {
    let mut text = String::new();
    for set in subsets(pages.len()).filter(|set| set.len() > 1) {
        let common = common(pages, &set).len();
        if common > 0 {
            let names: Vec<String> = set.iter().map(|vm| format!("v{vm}")).collect();
            writeln!(text, "  - {{vms: [{}], pages: {common}}}", names.join(", ")).unwrap();
        }
    }
    if text.is_empty() { text } else { format!("  shared_pages:\n{text}") }
}

/// All subsets of so many, ascending.
pub fn subsets(number: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1usize << number).map(move |bits| (0..number).filter(|member| bits >> member & 1 == 1).collect())
}

/// Pages that all of a set have.
pub fn common(pages: &[BTreeSet<Page>], set: &[usize]) -> BTreeSet<Page> {
    let first = pages[set[0]].iter();
    first.filter(|page| set.iter().all(|&vm| pages[vm].contains(page))).copied().collect()
}
