//! Seeded random instances as in section 6 of the paper.

use super::section::{Optimum, Section, ServerSection, VmSection};
use super::server_groups::{SERVER_GROUPS, ServerGroup, apportioned};
use super::software::{Application, Detail, OPERATING_SYSTEMS, Software, applications};
use super::vm_types::{VM_TYPES, VmType};
use crate::cluster::{Amount, Located};
use crate::model::{InstanceFile, located};
use itertools::Itertools;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Which virtual machines there are, and on which servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Family {
    /// The small instances of section 6.3: all types of Table 2 alike, all eight server groups.
    Paper,
    /// Types with much memory for each CPU on the three smallest server groups, so that memory decides.
    MemoryBound,
    /// Small virtual machines with desktop systems on servers of (24, 32) alone, so that sharing decides.
    Desktops,
    /// The streams of section 6.1: a share of low requests, servers mixed as in Google's cell.
    Stream,
}

impl Family {
    /// Its name in flags and instances.
    pub fn name(self) -> &'static str {
        match self {
            Family::Paper => "paper",
            Family::MemoryBound => "memory-bound",
            Family::Desktops => "desktops",
            Family::Stream => "stream",
        }
    }

    /// How often each type is asked for, in the order of Table 2, where that does not depend on a share of low requests.
    fn frequencies(self) -> [u32; VM_TYPES.len()] {
        match self {
            Family::Paper | Family::Stream => [1; VM_TYPES.len()],
            Family::MemoryBound => [2, 2, 0, 2, 0, 0, 1, 1, 0, 0, 0, 0],
            Family::Desktops => [2, 2, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0],
        }
    }

    /// How many servers of each group there are for one another, smallest group first.
    fn server_shares(self) -> [u32; SERVER_GROUPS.len()] {
        match self {
            Family::Paper => [2, 2, 3, 4, 1, 1, 1, 1],
            Family::MemoryBound => [4, 5, 6, 0, 0, 0, 0, 0],
            Family::Desktops => [0, 1, 0, 0, 0, 0, 0, 0],
            Family::Stream => SERVER_GROUPS.map(|group| group.machines),
        }
    }

    /// The virtual machines of the paper.
    pub fn usual_vms(self) -> u32 {
        if self == Family::Stream { 500 } else { 20 }
    }

    /// As many servers as in the paper: one for each virtual machine of a stream; else 15 for 20 virtual machines and in
    /// proportion for more, for fewer one each up to 15.
    pub fn usual_servers(self, vms: u32) -> u32 {
        if self == Family::Stream { vms } else { vms.min(15).max((3 * vms).div_ceil(4)) }
    }
}

/// What a server counts in row (4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ServerCost {
    /// 1, as in the paper.
    Unit,
    /// Half a point for each 12 CPUs and for each 64 GiB of memory: from 1 for (12, 64) to 4 for (48, 256).
    Capacity,
}

/// What the generated instances look like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// Which virtual machines there are, and on which servers.
    pub family: Family,
    /// Virtual machines.
    pub vms: u32,
    /// Servers.
    pub servers: u32,
    /// Thousandths of the virtual machines of a stream that are of a type with low requests.
    pub low_thousandths: u32,
    /// Which pages of the software count as common.
    pub sharing: Detail,
    /// 0 for the order in which the virtual machines are drawn; each other number shuffles the same ones in its own way.
    pub shuffle: u32,
    /// Size of a page in KiB: a power of two of at most 2048.
    pub page_kib: u64,
    /// What a server counts.
    pub cost: ServerCost,
    /// Setting `optimum`.
    pub optimum: Optimum,
    /// Seed; the same options and seed give the same instance.
    pub seed: u64,
}

/// A random instance.
///
/// The seed decides the virtual machines: their types, one operating system and one to four applications each, drawn anew until
/// they fit its memory. What counts as common, the order, the servers, the page and the settings change none of that.
pub fn generate(options: &GeneratorOptions) -> InstanceFile {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let catalogue = applications();
    let digits = options.vms.saturating_sub(1).to_string().len().max(3);
    let types = drawn_types(options, &mut random);
    let mut vms: Vec<(VmSection, Software)> = types
        .into_iter()
        .enumerate()
        .map(|(number, vm_type)| {
            let software = drawn_software(vm_type, options.family, &catalogue, &mut random);
            (vm(format!("vm-{number:0digits$}"), vm_type, &software, options.sharing), software)
        })
        .collect();
    if options.shuffle > 0 {
        let mut random = ChaCha8Rng::seed_from_u64(options.seed);
        random.set_stream(u64::from(options.shuffle));
        vms.shuffle(&mut random);
    }
    let mut components: BTreeMap<String, Located<u64>> = BTreeMap::new();
    for (name, mib) in vms.iter().flat_map(|(_, software)| software.components(options.sharing)) {
        components.insert(name, located(u64::from(mib) * 1024 / options.page_kib));
    }
    InstanceFile {
        name: name(options),
        description: Some(description(options)),
        family: Some(family(options)),
        sharing: Some(Section {
            page_kib: options.page_kib,
            optimum: options.optimum,
            servers: servers(options),
            components,
            vms: vms.into_iter().map(|(vm, _)| located(vm)).collect(),
            shared_pages: Vec::new(),
            arrival: None,
        }),
        ..InstanceFile::default()
    }
}

fn drawn_types(options: &GeneratorOptions, random: &mut ChaCha8Rng) -> Vec<VmType> {
    let weighted: Vec<(VmType, u32)> = VM_TYPES.into_iter().zip(options.family.frequencies()).collect();
    let mut drawn = |number: u64, among: &dyn Fn(&VmType) -> bool| -> Vec<VmType> {
        let candidates = weighted.iter().filter(|(vm_type, _)| among(vm_type)).copied().collect_vec();
        let draw = |_| candidates.choose_weighted(random, |entry| entry.1).expect("each family has types").0;
        (0..number).map(draw).collect()
    };
    let vms = u64::from(options.vms);
    if options.family != Family::Stream {
        return drawn(vms, &|_| true);
    }
    let low = (vms * u64::from(options.low_thousandths) + 500) / 1000;
    let mut types = drawn(low, &|vm_type| vm_type.is_low);
    types.extend(drawn(vms - low, &|vm_type| !vm_type.is_low));
    types.shuffle(random);
    types
}

fn drawn_software(
    vm_type: VmType,
    family: Family,
    catalogue: &[Application],
    random: &mut ChaCha8Rng,
) -> Software {
    let desktop_alone = vm_type.is_tiny || family == Family::Desktops;
    let systems =
        OPERATING_SYSTEMS.into_iter().filter(|system| !(system.is_server && desktop_alone)).collect_vec();
    loop {
        let system = *systems.choose(random).expect("there are desktop systems");
        let number = random.random_range(1..=4);
        let applications = catalogue.choose_multiple(random, number).copied().collect();
        let software = Software { system, applications };
        if software.mib() <= vm_type.memory_mib() {
            return software;
        }
    }
}

fn vm(name: String, vm_type: VmType, software: &Software, sharing: Detail) -> VmSection {
    VmSection {
        name,
        vm_type: Some(vm_type.name.to_owned()),
        memory_gib: Some(vm_type.memory_gib()),
        request: cpus(vm_type.cpus),
        components: software.components(sharing).into_iter().map(|(name, _)| name).collect(),
        ..VmSection::default()
    }
}

fn servers(options: &GeneratorOptions) -> Vec<Located<ServerSection>> {
    let counts = apportioned(&options.family.server_shares(), options.servers);
    let of_group = |(group, count): (&ServerGroup, u32)| ServerSection {
        name: format!("s{}x{}", group.cpus, group.memory_gib),
        count: Some(count),
        group: Some(format!("({}, {})", group.cpus, group.memory_gib)),
        memory_gib: Some(Amount::whole(i128::from(group.memory_gib))),
        memory_pages: None,
        capacity: cpus(group.cpus),
        cost: match options.cost {
            ServerCost::Unit => Amount::ONE,
            ServerCost::Capacity => group.capacity_cost(),
        },
    };
    let present = SERVER_GROUPS.iter().zip(counts).filter(|&(_, count)| count > 0);
    present.map(of_group).map(located).collect()
}

fn cpus(number: u32) -> BTreeMap<String, Amount> {
    BTreeMap::from([("cpu".to_owned(), Amount::whole(i128::from(number)))])
}

/// Everything that was asked for, so that different instances have different names.
fn name(options: &GeneratorOptions) -> String {
    let mut parts = vec!["sharing".to_owned(), options.family.name().to_owned(), size(options)];
    parts.extend(low_percent(options).map(|percent| format!("low{percent}")));
    parts.push(options.sharing.name().to_owned());
    parts.extend((options.page_kib != 1024).then(|| format!("page{}", options.page_kib)));
    parts.extend((options.cost == ServerCost::Capacity).then(|| "capacity-cost".to_owned()));
    parts.extend((options.optimum != Optimum::AnyServers).then(|| options.optimum.name().to_owned()));
    parts.extend((options.shuffle > 0).then(|| format!("r{}", options.shuffle)));
    parts.push(format!("seed{}", options.seed));
    parts.join("-")
}

/// The number of virtual machines, and of servers where it is not the usual one.
fn size(options: &GeneratorOptions) -> String {
    if options.servers == options.family.usual_servers(options.vms) {
        options.vms.to_string()
    } else {
        format!("{}x{}", options.vms, options.servers)
    }
}

/// What instances have in common that differ by chance, which is the seed and the order, alone.
fn family(options: &GeneratorOptions) -> String {
    let mut parts = vec![format!("sharing {} {} VMs", options.family.name(), options.vms)];
    let usual = options.family.usual_servers(options.vms);
    parts.extend((options.servers != usual).then(|| format!("{} servers", options.servers)));
    parts.extend(low_percent(options).map(|percent| format!("{percent} % low")));
    parts.push(options.sharing.name().to_owned());
    parts.extend((options.page_kib != 1024).then(|| format!("pages of {} KiB", options.page_kib)));
    parts.extend((options.cost == ServerCost::Capacity).then(|| "cost by capacity".to_owned()));
    parts.extend((options.optimum != Optimum::AnyServers).then(|| options.optimum.name().to_owned()));
    parts.join(", ")
}

fn description(options: &GeneratorOptions) -> String {
    let which = match options.family {
        Family::Paper => "types uniform over Table 2 as in section 6.3 of Rampersaud & Grosu",
        Family::MemoryBound => "types with much memory, on small servers",
        Family::Desktops => "small types with desktop systems, on servers of (24, 32)",
        Family::Stream => "a stream as in section 6.1 of Rampersaud & Grosu",
    };
    let low = low_percent(options).map(|percent| format!(", {percent} % low requests")).unwrap_or_default();
    let order = match options.shuffle {
        0 => String::new(),
        copy => format!(", copy r{copy}"),
    };
    format!(
        "Generated: {} virtual machines, {} servers; {which}{low}{order}; sharing {}.",
        options.vms,
        options.servers,
        options.sharing.name()
    )
}

fn low_percent(options: &GeneratorOptions) -> Option<Amount> {
    let percent = Amount::from_millionths(i128::from(options.low_thousandths) * 100_000);
    (options.family == Family::Stream).then_some(percent)
}
