//! From the `sharing` section of an instance file to a validated problem.

use super::page_classes::PageClasses;
use super::parts::{Component, ComponentIndex, KindIndex, PageRange, Server, ServerKind, Vm, VmIndex};
use super::problem::Problem;
use super::sigma::{Inconsistent, SigmaTable};
use crate::section::{Section, ServerSection, SharedPages, VmSection};
use ground::{
    Amount, At, Complaints, Counted, InputError, LARGEST_COUNT, Located, SourceText, did_you_mean, duplicate,
    in_range,
};
use itertools::Itertools;
use kit::exact_unit;
use std::collections::{BTreeMap, BTreeSet};

/// Pages of all servers together, and of all virtual machines, are fewer than this, so that programs hold them exactly.
const LARGEST_TOTAL: u64 = 1 << 50;

const KIB_IN_GIB: u64 = 1 << 20;

/// Builds the problem that the section describes.
///
/// # Errors
/// The rules broken, one for each entry, with the line and the field.
pub fn build(source: &SourceText, name: String, section: &Section) -> Result<Problem, InputError> {
    if section.page_kib == 0 {
        let message = "`page_kib` is 0. Give the size of a page in KiB, such as 4.";
        return Err(source.error_at_key(&["sharing", "page_kib"], message));
    }
    let builder = Builder { source, section };
    let mut complaints = Complaints::default();
    let resources: BTreeSet<&String> =
        section.servers.iter().flat_map(|server| server.value.capacity.keys()).collect();
    let resources: Vec<String> = resources.into_iter().cloned().collect();
    let (kinds, servers) = builder.servers(&resources, &mut complaints);
    let components = builder.components(&mut complaints);
    let vms = builder.vms(&resources, &components, &mut complaints);
    // What follows is about all of them.
    complaints.finish(Some(()))?;
    let numbers: BTreeMap<&str, VmIndex> =
        (0..).map(VmIndex).zip(&vms).map(|(index, vm)| (vm.name.as_str(), index)).collect();
    let arrival = builder.arrival(&numbers)?;
    let sigma = builder.sigma(&vms, &numbers)?;
    let page_classes = match &sigma {
        Some(table) => {
            let pages: Vec<u64> = vms.iter().map(|vm| vm.pages).collect();
            table.invert(&pages).map_err(|error| builder.inconsistent(&vms, &error))?
        }
        None => PageClasses::of_contents(&vms, &components),
    };
    Ok(Problem {
        name,
        page_kib: section.page_kib,
        optimum: section.optimum,
        resources,
        kinds,
        servers,
        vms,
        arrival,
        components,
        sigma,
        page_classes,
    })
}

struct Builder<'a> {
    source: &'a SourceText,
    section: &'a Section,
}

/// How GiB that are no whole number of pages become pages.
#[derive(Clone, Copy)]
enum Rounding {
    Down,
    Up,
}

impl Builder<'_> {
    fn servers(&self, resources: &[String], complaints: &mut Complaints) -> (Vec<ServerKind>, Vec<Server>) {
        let (mut kinds, mut servers): (Vec<ServerKind>, Vec<Server>) = (Vec::new(), Vec::new());
        let mut lines: BTreeMap<String, At> = BTreeMap::new();
        let mut total: u64 = 0;
        let mut costs = Costs::default();
        if self.section.servers.is_empty() {
            let message =
                "`servers` is empty. List at least one server; see instances/sharing/ for examples.";
            complaints.add(self.source.error_at_key(&["sharing", "servers"], message));
        }
        complaints.keep_each(&self.section.servers, |&Located { value: ref server, at }| {
            let owner = format!("server `{}`", server.name);
            let kind = self.server_kind(at, &owner, server, resources)?;
            let pages = kind.pages;
            let kind = KindIndex::at(kinds.iter().position(|other| *other == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            }));
            let counted = Counted {
                at,
                kind: "server",
                name: &server.name,
                field: "count",
                count: server.count,
                joint: "-",
            };
            for name in counted.names(self.source)? {
                if let Some(first) = lines.insert(name.clone(), at) {
                    return Err(duplicate(self.source, at, "servers", &name, first));
                }
                total = self.total(at, &owner, total, pages)?;
                servers.push(Server { name, kind });
            }
            self.not_too_many(at, "servers", servers.len())?;
            costs.add(server.cost, server.count.unwrap_or(1)).map_err(|why| {
                let message = format!(
                    "{owner}: `cost` is {}. Costs are the weights of the objective, and {why}",
                    server.cost
                );
                self.source.error_at(at, Some("cost"), message)
            })
        });
        (kinds, servers)
    }

    /// What the servers of an entry have in common.
    fn server_kind(
        &self,
        at: At,
        owner: &str,
        server: &ServerSection,
        resources: &[String],
    ) -> Result<ServerKind, InputError> {
        let pages = self.pages(at, owner, server.memory_gib, server.memory_pages, Rounding::Down)?;
        let pages = pages.ok_or_else(|| {
            let message = format!("{owner} has no memory. Give `memory_gib` or `memory_pages`.");
            self.source.error_at(at, Some("name"), message)
        })?;
        for (resource, &amount) in &server.capacity {
            self.not_memory(at, owner, "capacity", resource)?;
            in_range(self.source, at, owner, resource, amount)?;
        }
        in_range(self.source, at, owner, "cost", server.cost)?;
        Ok(ServerKind {
            group: group(server),
            capacity: resources.iter().map(|resource| server.capacity.get(resource).copied()).collect(),
            pages,
            cost: server.cost,
        })
    }

    /// The components, also those that are complained of.
    fn components(&self, complaints: &mut Complaints) -> Vec<Component> {
        let component = |(name, pages): (&String, &Located<u64>)| {
            let pages_of = pages.value;
            if pages_of == 0 || pages_of >= LARGEST_TOTAL {
                let rule = if pages_of == 0 { "0" } else { "2^50 or more" };
                let message = format!(
                    "component `{name}` has {rule} pages. Give a whole number of pages from 1 on, or remove it."
                );
                complaints.add(self.source.error_at(pages.at, None, message));
            }
            Component { name: name.clone(), pages: pages_of }
        };
        self.section.components.iter().map(component).collect()
    }

    fn vms(&self, resources: &[String], components: &[Component], complaints: &mut Complaints) -> Vec<Vm> {
        let mut vms: Vec<Vm> = Vec::new();
        let mut lines: BTreeMap<String, At> = BTreeMap::new();
        let mut total: u64 = 0;
        complaints.keep_each(&self.section.vms, |&Located { value: ref vm, at }| {
            let counted = Counted {
                at,
                kind: "virtual machine",
                name: &vm.name,
                field: "replicas",
                count: vm.replicas,
                joint: "#",
            };
            let names = counted.names(self.source)?;
            let model = self.vm(at, vm, resources, components)?;
            for name in names {
                if let Some(first) = lines.insert(name.clone(), at) {
                    return Err(duplicate(self.source, at, "virtual machines", &name, first));
                }
                total = self.total(at, &format!("virtual machine `{name}`"), total, model.pages)?;
                vms.push(Vm { name, ..model.clone() });
            }
            self.not_too_many(at, "virtual machines", vms.len())
        });
        vms
    }

    fn vm(
        &self,
        at: At,
        vm: &VmSection,
        resources: &[String],
        components: &[Component],
    ) -> Result<Vm, InputError> {
        let owner = format!("virtual machine `{}`", vm.name);
        for (resource, &amount) in &vm.request {
            self.not_memory(at, &owner, "request", resource)?;
            in_range(self.source, at, &owner, resource, amount)?;
            if !resources.contains(resource) {
                let guess = did_you_mean(resource, resources.iter().map(String::as_str));
                let message = format!(
                    "{owner} requests `{resource}`, which no server has{guess}. Resources of the servers: {}.",
                    if resources.is_empty() { "none but memory".to_owned() } else { resources.join(", ") }
                );
                return Err(self.source.error_at(at, Some("request"), message));
            }
        }
        let held = self.components_of(at, &owner, vm, components)?;
        let ranges = self.ranges_of(at, &owner, vm)?;
        let parts = held.iter().map(|component| components[component.index()].pages);
        let parts = parts.chain(ranges.iter().map(|range| range.pages()));
        let content = parts.fold(0, u64::saturating_add);
        let given = self.pages(at, &owner, vm.memory_gib, vm.memory_pages, Rounding::Up)?;
        let pages = given.or(Some(content).filter(|&content| content > 0)).ok_or_else(|| {
            let message = format!(
                "{owner} has no memory. Give `memory_gib` or `memory_pages`, or say by `components` or `page_ranges` what is in it."
            );
            self.source.error_at(at, Some("name"), message)
        })?;
        if pages < content {
            let field = if vm.memory_gib.is_some() { "memory_gib" } else { "memory_pages" };
            let message = format!(
                "{owner}: `{field}` stands for {pages} pages of {} KiB, but its components and page ranges have {content}. Give it \
                 more memory, or less content.",
                self.section.page_kib
            );
            return Err(self.source.error_at(at, Some(field), message));
        }
        Ok(Vm {
            name: vm.name.clone(),
            vm_type: vm.vm_type.clone(),
            request: resources
                .iter()
                .map(|resource| vm.request.get(resource).copied().unwrap_or_default())
                .collect(),
            pages,
            components: held,
            ranges,
            own_pages: pages - content,
        })
    }

    /// Refuses memory among the other resources.
    fn not_memory(&self, at: At, owner: &str, field: &str, resource: &str) -> Result<(), InputError> {
        if !["memory", "memory_gib", "memory_pages"].contains(&resource) {
            return Ok(());
        }
        let message = format!(
            "{owner} has `{resource}` in `{field}`, which is for the other resources. Write `memory_gib` or `memory_pages` beside \
             `{field}`."
        );
        Err(self.source.error_at(at, Some(resource), message))
    }

    fn components_of(
        &self,
        at: At,
        owner: &str,
        vm: &VmSection,
        components: &[Component],
    ) -> Result<Vec<ComponentIndex>, InputError> {
        let mut held = Vec::new();
        for name in &vm.components {
            let Ok(position) = components.binary_search_by(|component| component.name.cmp(name)) else {
                let guess = did_you_mean(name, components.iter().map(|component| component.name.as_str()));
                let message = format!(
                    "{owner} names the component `{name}`, which `components` does not list{guess}. List it with its pages, or \
                     correct the name."
                );
                return Err(self.source.error_at(at, Some("components"), message));
            };
            let component = ComponentIndex::at(position);
            if held.contains(&component) {
                let message = format!("{owner} names the component `{name}` twice. Keep one.");
                return Err(self.source.error_at(at, Some("components"), message));
            }
            held.push(component);
        }
        held.sort_unstable();
        Ok(held)
    }

    fn ranges_of(&self, at: At, owner: &str, vm: &VmSection) -> Result<Vec<PageRange>, InputError> {
        let wrong = |message: String| self.source.error_at(at, Some("page_ranges"), message);
        let mut ranges = Vec::new();
        for &[first, last] in &vm.page_ranges {
            if first > last || last >= LARGEST_TOTAL {
                let rule = if first > last {
                    "ends before it begins. Write [first, last]"
                } else {
                    "goes beyond 2^50. Use smaller numbers"
                };
                return Err(wrong(format!("{owner}: the page range [{first}, {last}] {rule}.")));
            }
            ranges.push(PageRange { first, last });
        }
        ranges.sort_unstable();
        for (one, next) in ranges.iter().tuple_windows() {
            if next.first <= one.last {
                return Err(wrong(format!(
                    "{owner}: the page ranges [{}, {}] and [{}, {}] overlap. A page is in its memory once: join or separate them.",
                    one.first, one.last, next.first, next.last
                )));
            }
        }
        Ok(ranges)
    }

    fn arrival(&self, numbers: &BTreeMap<&str, VmIndex>) -> Result<Vec<VmIndex>, InputError> {
        let Some(order) = &self.section.arrival else {
            return Ok((0..numbers.len()).map(VmIndex::at).collect());
        };
        let mut seen = BTreeSet::new();
        let mut arrival = Vec::new();
        for Located { value: name, at } in order {
            let vm = self.vm_named(*at, "`arrival`", name, numbers)?;
            if !seen.insert(vm) {
                let message = format!("`arrival` names the virtual machine `{name}` twice. Keep one.");
                return Err(self.source.error_at(*at, None, message));
            }
            arrival.push(vm);
        }
        let missing = numbers.iter().filter(|(_, vm)| !seen.contains(vm)).min_by_key(|&(_, vm)| vm);
        if let Some((name, _)) = missing {
            let others = match numbers.len() - seen.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            let message = format!(
                "`arrival` leaves out the virtual machine `{name}`{others}. Name every one, or leave `arrival` out."
            );
            return Err(self.source.error_at_key(&["sharing", "arrival"], message));
        }
        Ok(arrival)
    }

    fn sigma(&self, vms: &[Vm], numbers: &BTreeMap<&str, VmIndex>) -> Result<Option<SigmaTable>, InputError> {
        if self.section.shared_pages.is_empty() {
            return Ok(None);
        }
        if let Some(vm) = vms.iter().find(|vm| !vm.components.is_empty() || !vm.ranges.is_empty()) {
            let message = format!(
                "`shared_pages` says which pages are common, but so do the components or page ranges of virtual machine `{}`. Keep the \
                 table or the contents.",
                vm.name
            );
            return Err(self.source.error_at_key(&["sharing", "shared_pages"], message));
        }
        let mut table: BTreeMap<Vec<VmIndex>, u64> = BTreeMap::new();
        for Located { value: SharedPages { vms: names, pages }, at } in &self.section.shared_pages {
            let mut set = Vec::new();
            for name in names {
                set.push(self.vm_named(*at, "a set of `shared_pages`", name, numbers)?);
            }
            set.sort_unstable();
            let listed = names.join(", ");
            let wrong = match () {
                () if set.iter().tuple_windows().any(|(one, next)| one == next) => {
                    "names a virtual machine twice. Keep one"
                }
                () if set.len() < 2 => {
                    "has fewer than two virtual machines. The pages of one are its memory; remove the entry"
                }
                () if *pages >= LARGEST_TOTAL => "has 2^50 or more pages. Use a larger page",
                () if table.insert(set, *pages).is_some() => "is listed twice. Keep one",
                () => continue,
            };
            let message = format!("`shared_pages`: the set [{listed}] {wrong}.");
            return Err(self.source.error_at(*at, Some("vms"), message));
        }
        Ok(Some(SigmaTable::new(table)))
    }

    fn inconsistent(&self, vms: &[Vm], error: &Inconsistent) -> InputError {
        let names =
            |set: &[VmIndex]| format!("[{}]", set.iter().map(|vm| vms[vm.index()].name.as_str()).join(", "));
        let (set, message) = match error {
            Inconsistent::SupersetSharesMore { superset, pages, subset, fewer } => {
                let (less, raise) = match subset.as_slice() {
                    [alone] => {
                        let name = &vms[alone.index()].name;
                        (format!("virtual machine `{name}` has only {fewer} in all"), "give it more memory")
                    }
                    part => (
                        format!(
                            "those of {} only {fewer}, although what is common to a set is common to each part of it",
                            names(part)
                        ),
                        "raise the second (a set that is not listed has 0)",
                    ),
                };
                let set = names(superset);
                let message = format!(
                    "all of {set} have {pages} pages in common, but {less}. Lower the first number, or {raise}."
                );
                (superset, message)
            }
            Inconsistent::NegativeClass { set, common, larger } => {
                let message = match set.as_slice() {
                    [alone] => format!(
                        "virtual machine `{}` has {common} pages, but the sets that it is in make {larger} different ones of them. \
                         Give it more memory, or lower the numbers of these sets.",
                        vms[alone.index()].name
                    ),
                    several => format!(
                        "all of {0} have {common} pages in common, but the larger sets that contain {0} make {larger} different ones \
                         of them. Raise the number of {0}, or lower those of the larger sets.",
                        names(several)
                    ),
                };
                (set, message)
            }
        };
        let numbers: BTreeMap<&str, VmIndex> =
            (0..).map(VmIndex).zip(vms).map(|(index, vm)| (vm.name.as_str(), index)).collect();
        let is_it = |entry: &&Located<SharedPages>| {
            let mut found: Vec<VmIndex> =
                entry.value.vms.iter().filter_map(|name| numbers.get(name.as_str()).copied()).collect();
            found.sort_unstable();
            found == *set
        };
        match self.section.shared_pages.iter().find(is_it) {
            Some(entry) => {
                self.source.error_at(entry.at, Some("pages"), format!("`shared_pages`: {message}"))
            }
            None => {
                self.source.error_at_key(&["sharing", "shared_pages"], format!("`shared_pages`: {message}"))
            }
        }
    }

    fn vm_named(
        &self,
        at: At,
        place: &str,
        name: &str,
        numbers: &BTreeMap<&str, VmIndex>,
    ) -> Result<VmIndex, InputError> {
        numbers.get(name).copied().ok_or_else(|| {
            let message = if numbers.contains_key(format!("{name}#0").as_str()) {
                format!(
                    "{place} names `{name}`, which stands for several virtual machines. Name each: `{name}#0`, `{name}#1`, and so on."
                )
            } else {
                let guess = did_you_mean(name, numbers.keys().copied());
                format!(
                    "{place} names the virtual machine `{name}`, which `vms` does not list{guess}. List it, or correct the name."
                )
            };
            self.source.error_at(at, Some("vms"), message)
        })
    }

    /// Memory in pages, where it is given.
    fn pages(
        &self,
        at: At,
        owner: &str,
        gib: Option<Amount>,
        pages: Option<u64>,
        rounding: Rounding,
    ) -> Result<Option<u64>, InputError> {
        let Some(gib) = gib else { return Ok(pages) };
        if pages.is_some() {
            let message = format!("{owner} has both `memory_gib` and `memory_pages`. Keep one.");
            return Err(self.source.error_at(at, Some("memory_pages"), message));
        }
        in_range(self.source, at, owner, "memory_gib", gib)?;
        let page = Amount::whole(i128::from(self.section.page_kib)).millionths();
        let memory = gib.millionths() * i128::from(KIB_IN_GIB);
        let whole = match rounding {
            Rounding::Down => memory / page,
            Rounding::Up => (memory + page - 1) / page,
        };
        u64::try_from(whole).map(Some).map_err(|_| {
            let message = format!(
                "{owner}: `memory_gib` is {gib}, too much for pages of {} KiB. Correct it, or raise `page_kib`.",
                self.section.page_kib
            );
            self.source.error_at(at, Some("memory_gib"), message)
        })
    }

    fn total(&self, at: At, owner: &str, total: u64, pages: u64) -> Result<u64, InputError> {
        total.checked_add(pages).filter(|&total| total < LARGEST_TOTAL).ok_or_else(|| {
            let message = format!(
                "up to {owner} there are 2^50 or more pages, too many to be counted exactly. Raise `page_kib`, and give memories in \
                 larger pages."
            );
            self.source.error_at(at, None, message)
        })
    }

    fn not_too_many(&self, at: At, kind: &str, number: usize) -> Result<(), InputError> {
        if number <= LARGEST_COUNT {
            return Ok(());
        }
        let message = format!("there are more than {LARGEST_COUNT} {kind}. Lower the numbers.");
        Err(self.source.error_at(at, None, message))
    }
}

/// The costs of the servers read so far.
#[derive(Default)]
struct Costs {
    /// Their greatest common unit and the largest; nothing while all are zero.
    extremes: Vec<Amount>,
    sum: Amount,
}

impl Costs {
    /// Takes in the cost of some servers; else why all of them together cannot be counted exactly.
    fn add(&mut self, cost: Amount, servers: u32) -> Result<(), String> {
        const ADVICE: &str =
            "Round the costs, so that all are multiples of a coarser unit, or bring them nearer together";
        if cost == Amount::ZERO {
            return Ok(());
        }
        self.sum += cost * i128::from(servers);
        self.extremes.push(cost);
        let unit = exact_unit(&self.extremes, self.sum, ADVICE).map_err(|error| format!("{error}."))?;
        let largest = self.extremes.iter().copied().max().unwrap_or(unit);
        self.extremes = vec![unit, largest];
        Ok(())
    }
}

/// The capacity group of servers.
fn group(server: &ServerSection) -> String {
    server.group.clone().unwrap_or_else(|| server.name.clone())
}
