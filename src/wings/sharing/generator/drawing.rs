//! Seeded random instances as in section 6 of the paper.

use super::family::Family;
use super::naming;
use super::options::{GeneratorOptions, ServerCost};
use super::server_groups::{SERVER_GROUPS, ServerGroup, apportioned};
use super::software::{Application, Detail, OPERATING_SYSTEMS, Software, applications};
use super::vm_types::{VM_TYPES, VmType};
use crate::section::{Section, ServerSection, VmSection};
use ground::{Amount, Located};
use itertools::Itertools;
use kit::{Draft, located};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// A random instance.
///
/// The seed decides the virtual machines: their types, one operating system and one to four applications each, drawn anew until
/// they fit its memory. What counts as common, the order, the servers, the page and the settings change none of that.
pub fn generate(options: &GeneratorOptions) -> Draft<Section> {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let catalogue = applications();
    let digits = options.vms().saturating_sub(1).to_string().len().max(3);
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
    Draft {
        name: naming::name(options),
        description: Some(naming::description(options)),
        family: Some(naming::family(options)),
        section: Some(Section {
            page_kib: options.page_kib,
            optimum: options.optimum,
            servers: servers(options),
            components,
            vms: vms.into_iter().map(|(vm, _)| located(vm)).collect(),
            shared_pages: Vec::new(),
            arrival: None,
        }),
        ..Draft::default()
    }
}

fn drawn_types(options: &GeneratorOptions, random: &mut ChaCha8Rng) -> Vec<VmType> {
    let weighted: Vec<(VmType, u32)> = VM_TYPES.into_iter().zip(options.family.frequencies()).collect();
    let mut drawn = |number: u64, among: &dyn Fn(&VmType) -> bool| -> Vec<VmType> {
        let candidates = weighted.iter().filter(|(vm_type, _)| among(vm_type)).copied().collect_vec();
        let draw = |_| candidates.choose_weighted(random, |entry| entry.1).expect("each family has types").0;
        (0..number).map(draw).collect()
    };
    let vms = u64::from(options.vms());
    if options.family != Family::Stream {
        return drawn(vms, &|_| true);
    }
    let low = (vms * u64::from(options.low_thousandths()) + 500) / 1000;
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
    let counts = apportioned(&options.family.server_shares(), options.servers());
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
