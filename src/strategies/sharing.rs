//! Small instances of model sharing.
//!
//! Drawn are servers, often alike, with costs or without; virtual machines, often alike; up to two resources beside memory, which some
//! servers do not limit; memories that consist of components, of numbered pages, of both, of what a table of shared pages says, or of
//! nothing that is shared; both readings of the optimum; and orders of arrival. Servers are neither ample nor hopeless, mostly, so that
//! some instances are infeasible.
//!
//! Never drawn are replicas and counts, memories in GiB, tables that name more than the first eight virtual machines, and virtual
//! machines that no server knows a resource of.

use super::amounts::decimal;
use ground::Amount;
use kit::located;
use models::InstanceFile;
use proptest::prelude::*;
use proptest::sample::select;
use sharing::{Optimum, Section, ServerSection, SharedPages, VmSection};

const RESOURCES: [&str; 2] = ["cpu", "disk_gib"];
const COMPONENTS: [&str; 4] = ["c0", "c1", "c2", "c3"];
/// Virtual machines that a table of shared pages may name.
const MOST_IN_TABLE: usize = 8;

/// Bounds of what is drawn.
#[derive(Clone, Debug)]
pub struct Parameters {
    most_servers: usize,
    most_vms: usize,
    most_resources: usize,
}

impl Default for Parameters {
    /// Up to three servers, six virtual machines and two resources beside memory.
    fn default() -> Self {
        Parameters { most_servers: 3, most_vms: 6, most_resources: RESOURCES.len() }
    }
}

impl Parameters {
    /// At most so many servers, and at least one.
    pub fn most_servers(self, most: usize) -> Self {
        Parameters { most_servers: most.max(1), ..self }
    }

    /// At most so many virtual machines, and at least one.
    pub fn most_vms(self, most: usize) -> Self {
        Parameters { most_vms: most.max(1), ..self }
    }

    /// At most so many resources beside memory, and at most two.
    pub fn most_resources(self, most: usize) -> Self {
        Parameters { most_resources: most.min(RESOURCES.len()), ..self }
    }
}

/// In which way the instance says what memories have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Nothing,
    Components,
    Numbered,
    ComponentsAndNumbered,
    Table,
}

/// A virtual machine before it is written down.
#[derive(Clone, Debug)]
struct Vm {
    /// A bit for each component that its memory holds.
    components: u8,
    /// A bit for each numbered unit of pages that its memory holds.
    numbered: u16,
    /// Units of pages of its own.
    private: u64,
    /// By resource in steps.
    request: [u64; RESOURCES.len()],
    /// Whether it is the like of the one before, but for its place in a table.
    is_like_previous: bool,
}

/// A capacity between the greatest need of a virtual machine and three quarters of all needs.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    /// 0 for the former, 100 for the latter.
    percent: u64,
    /// Whether it is one less.
    is_short: bool,
}

/// A server before it is written down.
#[derive(Clone, Debug)]
struct Server {
    memory: Capacity,
    /// By resource, where it is limited.
    resources: [Option<Capacity>; RESOURCES.len()],
    cost: Amount,
    /// Whether it is the like of the one before.
    is_like_previous: bool,
}

/// An instance before it is written down.
#[derive(Clone, Debug)]
struct Draw {
    page_kib: u64,
    optimum: Optimum,
    content: Content,
    /// Pages of a unit.
    unit: u64,
    /// Units of each component.
    components: [u64; COMPONENTS.len()],
    /// Sets of virtual machines, a bit for each, and the units that these and no others have in common.
    classes: Vec<(u8, u64)>,
    /// Size of a step of each resource.
    steps: Vec<Amount>,
    has_costs: bool,
    servers: Vec<Server>,
    vms: Vec<Vm>,
    /// The order of arrival is that of these numbers, one for each virtual machine.
    arrival: Option<Vec<u8>>,
}

/// The instances as plain data.
pub(super) fn files(parameters: &Parameters) -> impl Strategy<Value = InstanceFile> + use<> {
    let content = select(vec![
        Content::Nothing,
        Content::Components,
        Content::Numbered,
        Content::ComponentsAndNumbered,
        Content::Table,
        Content::Table,
    ]);
    let settings = (
        select(vec![4, 1024]),
        prop_oneof![3 => Just(Optimum::AnyServers), 2 => Just(Optimum::FirstMOfTheOrder)],
        prop::bool::weighted(0.4),
    );
    let memory = (
        content,
        select(vec![1, 1, 7, 1024, 262_147]),
        [1..=5u64, 1..=5u64, 1..=5u64, 1..=5u64],
        proptest::collection::vec((1..=u8::MAX, 1..=5u64), 1..=6),
    );
    let step = select(vec!["1", "0.5", "0.35"]).prop_map(decimal);
    let steps = proptest::collection::vec(step, 0..=parameters.most_resources);
    let servers = proptest::collection::vec(server(), 1..=parameters.most_servers);
    let vms = proptest::collection::vec(vm(), 1..=parameters.most_vms);
    let arrival =
        proptest::option::weighted(0.3, proptest::collection::vec(any::<u8>(), parameters.most_vms));
    // What comes first shrinks first: few virtual machines need few servers.
    (vms, servers, settings, memory, steps, arrival).prop_map(
        |(vms, servers, (page_kib, optimum, has_costs), memory, steps, arrival)| {
            let (content, unit, components, classes) = memory;
            let has = Draw {
                page_kib,
                optimum,
                content,
                unit,
                components,
                classes,
                steps,
                has_costs,
                servers,
                vms,
                arrival,
            };
            has.file()
        },
    )
}

fn vm() -> impl Strategy<Value = Vm> {
    let request = || prop_oneof![1 => Just(0), 1 => 0..=4u64];
    (
        proptest::bits::u8::masked(0b1111),
        proptest::bits::u16::masked(0b11_1111_1111),
        0..=3u64,
        [request(), request()],
        prop::bool::weighted(0.3),
    )
        .prop_map(|(components, numbered, private, request, is_like_previous)| Vm {
            components,
            numbered,
            private,
            request,
            is_like_previous,
        })
}

fn server() -> impl Strategy<Value = Server> {
    let capacity = || {
        let drawn = (0..=100u64, prop::bool::weighted(0.1));
        drawn.prop_map(|(percent, is_short)| Capacity { percent, is_short })
    };
    let resource = || proptest::option::weighted(0.7, capacity());
    let cost = select(vec!["1", "2", "0.75", "0"]).prop_map(decimal);
    (capacity(), [resource(), resource()], cost, prop::bool::weighted(0.4)).prop_map(
        |(memory, resources, cost, is_like_previous)| Server { memory, resources, cost, is_like_previous },
    )
}

/// For each entry of a list the one that it is the like of: itself, or an earlier one.
fn originals(are_like_previous: impl Iterator<Item = bool>) -> Vec<usize> {
    let mut original = 0;
    let of = |(number, is_like_previous): (usize, bool)| {
        if !is_like_previous {
            original = number;
        }
        original
    };
    are_like_previous.enumerate().map(of).collect()
}

fn vm_name(number: usize) -> String {
    format!("v{number}")
}

fn server_name(number: usize) -> String {
    format!("s{number}")
}

/// Positions of the bits that are set.
fn members(bits: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| bits >> bit & 1 == 1)
}

impl Draw {
    fn file(&self) -> InstanceFile {
        let vms = self.vms();
        let memories: Vec<u64> = (0..vms.len()).map(|vm| self.pages(vm)).collect();
        let has_components = matches!(self.content, Content::Components | Content::ComponentsAndNumbered);
        let component = |(name, units): (&&str, &u64)| (name.to_string(), located(units * self.unit));
        let components = COMPONENTS.iter().zip(&self.components).filter(|_| has_components).map(component);
        let section = Section {
            page_kib: self.page_kib,
            optimum: self.optimum,
            servers: self.servers(&memories).into_iter().map(located).collect(),
            components: components.collect(),
            vms: vms.into_iter().map(located).collect(),
            shared_pages: self.table().into_iter().map(located).collect(),
            arrival: self.arrival().map(|names| names.into_iter().map(located).collect()),
        };
        InstanceFile { name: "sample".to_owned(), sharing: Some(section), ..InstanceFile::default() }
    }

    /// For each virtual machine the one whose memory and requests it has.
    fn vm_originals(&self) -> Vec<usize> {
        originals(self.vms.iter().map(|vm| vm.is_like_previous))
    }

    /// Pages of a virtual machine that the content of its memory accounts for.
    fn content_pages(&self, number: usize) -> u64 {
        let vm = &self.vms[self.vm_originals()[number]];
        let components: u64 = members(vm.components.into()).map(|held| self.components[held]).sum();
        let numbered = u64::from(vm.numbered.count_ones());
        let units = match self.content {
            Content::Nothing => 0,
            Content::Components => components,
            Content::Numbered => numbered,
            Content::ComponentsAndNumbered => components + numbered,
            Content::Table => self.common(1 << number),
        };
        units * self.unit
    }

    /// All pages of a virtual machine.
    fn pages(&self, number: usize) -> u64 {
        self.content_pages(number) + self.vms[self.vm_originals()[number]].private * self.unit
    }

    fn vms(&self) -> Vec<VmSection> {
        let section = |(number, original): (usize, usize)| {
            let vm = &self.vms[original];
            let amounts = RESOURCES.iter().zip(self.steps.iter().zip(vm.request));
            let request = amounts.filter(|(_, (_, times))| *times > 0);
            let (content, pages) = (self.content_pages(number), self.pages(number));
            // Without a number the memory is its content, which a table does not tell.
            let is_content = content == pages && pages > 0 && self.content != Content::Table;
            let components = match self.content {
                Content::Components | Content::ComponentsAndNumbered => vm.components,
                _ => 0,
            };
            let numbered = match self.content {
                Content::Numbered | Content::ComponentsAndNumbered => vm.numbered,
                _ => 0,
            };
            VmSection {
                name: vm_name(number),
                memory_pages: (!is_content).then_some(pages),
                request: request
                    .map(|(name, (step, times))| (name.to_string(), *step * i128::from(times)))
                    .collect(),
                components: members(components.into()).map(|held| COMPONENTS[held].to_owned()).collect(),
                page_ranges: self.ranges(numbered),
                ..VmSection::default()
            }
        };
        self.vm_originals().into_iter().enumerate().map(section).collect()
    }

    /// Ranges of pages that some numbered units take.
    fn ranges(&self, numbered: u16) -> Vec<[u64; 2]> {
        let mut ranges: Vec<[u64; 2]> = Vec::new();
        for unit in members(numbered.into()) {
            let (first, last) = (unit as u64 * self.unit, (unit as u64 + 1) * self.unit - 1);
            match ranges.last_mut() {
                Some(range) if range[1] + 1 == first => range[1] = last,
                _ => ranges.push([first, last]),
            }
        }
        ranges
    }

    /// Units that all of a set have in common under a table.
    fn common(&self, set: u64) -> u64 {
        let named = self.vms.len().min(MOST_IN_TABLE);
        let within = (1u64 << named) - 1;
        let classes = self.classes.iter().filter(|(class, _)| u64::from(*class) & within & set == set);
        classes.map(|(_, units)| units).sum()
    }

    fn table(&self) -> Vec<SharedPages> {
        if self.content != Content::Table {
            return Vec::new();
        }
        let sets = 1..1u64 << self.vms.len().min(MOST_IN_TABLE);
        let entry = |set: u64| {
            let pages = self.common(set) * self.unit;
            (set.count_ones() > 1 && pages > 0)
                .then(|| SharedPages { vms: members(set).map(vm_name).collect(), pages })
        };
        sets.filter_map(entry).collect()
    }

    fn servers(&self, memories: &[u64]) -> Vec<ServerSection> {
        let vms = self.vm_originals();
        let section = |(number, original): (usize, usize)| {
            let server = &self.servers[original];
            // The first server names every resource, as at least one must.
            let capacity_of = |resource: usize| match server.resources[resource] {
                None if original == 0 => Some(Capacity { percent: 100, is_short: false }),
                drawn => drawn,
            };
            let capacity = self.steps.iter().enumerate().filter_map(|(resource, step)| {
                let needs: Vec<u64> = vms.iter().map(|&vm| self.vms[vm].request[resource]).collect();
                let steps = capacity_of(resource)?.between(&needs);
                Some((RESOURCES[resource].to_owned(), *step * i128::from(steps)))
            });
            ServerSection {
                name: server_name(number),
                count: None,
                group: (number != original).then(|| server_name(original)),
                memory_gib: None,
                memory_pages: Some(server.memory.between(memories)),
                capacity: capacity.collect(),
                cost: if self.has_costs { server.cost } else { Amount::ONE },
            }
        };
        let originals = originals(self.servers.iter().map(|server| server.is_like_previous));
        originals.into_iter().enumerate().map(section).collect()
    }

    fn arrival(&self) -> Option<Vec<String>> {
        let keys = self.arrival.as_ref()?;
        let mut order: Vec<usize> = (0..self.vms.len()).collect();
        order.sort_by_key(|&vm| keys[vm]);
        Some(order.into_iter().map(vm_name).collect())
    }
}

impl Capacity {
    /// The capacity for virtual machines with these needs.
    fn between(self, needs: &[u64]) -> u64 {
        let greatest = needs.iter().copied().max().unwrap_or_default();
        let least = greatest.saturating_sub(self.is_short.into());
        let most = greatest.max(needs.iter().sum::<u64>() * 3 / 4);
        least + (most - least) * self.percent / 100
    }
}
