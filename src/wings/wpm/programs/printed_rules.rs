//! The rules of clusters as rows of the printed program; the labels are those of `models/wpm.md`.

use crate::instance::{Problem, Role};
use crate::section::Shifts;
use cluster::{Demands, GpuIndex, Group, HostIndex, Site, SiteKind, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use itertools::Itertools;
use milp::{Handle, ProgramBuilder};
use std::collections::{BTreeMap, BTreeSet};

/// A way in which a workload may have a place.
pub struct Place {
    /// The GPU.
    pub gpu: GpuIndex,
    /// The column that says so.
    pub column: Handle,
    /// Whether this is the slot in which it runs now.
    pub keeps_slot: bool,
}

/// All ways in which the decided workloads may have a place.
pub type Places = BTreeMap<WorkloadIndex, Vec<Place>>;

/// The columns of the rules, and what they say of running workloads.
#[derive(Default)]
pub struct RuleColumns {
    /// For every running workload, whether it counts as moved.
    pub(super) moved: BTreeMap<WorkloadIndex, Expression>,
    /// In an order in which none depends on those after it.
    list: Vec<(Handle, Meaning)>,
}

/// When a column of the rules is 1.
enum Meaning {
    /// When one of these is.
    OneOf(Vec<Handle>),
    /// When in one of these lists none is.
    NoneOfSome(Vec<Vec<Handle>>),
}

impl RuleColumns {
    /// Gives them the values that the other columns determine.
    pub fn fill_in(&self, columns: &mut [f64]) {
        for (column, meaning) in &self.list {
            let any = |handles: &Vec<Handle>| handles.iter().any(|handle| columns[handle.index] > 0.5);
            let is_true = match meaning {
                Meaning::OneOf(handles) => any(handles),
                Meaning::NoneOfSome(lists) => !lists.iter().all(any),
            };
            columns[column.index] = f64::from(u8::from(is_true));
        }
    }

    fn add(&mut self, builder: &mut ProgramBuilder, name: String, most: u8, meaning: Meaning) -> Handle {
        let column = Handle::add(builder, name, variable().integer().min(0).max(most));
        self.list.push((column, meaning));
        column
    }
}

/// Whether it matters which start slots running workloads have, not only on which GPU they are.
pub fn slots_matter(problem: &Problem) -> bool {
    problem.limits.shifts == Shifts::Counted || limits_disruptions(problem)
}

fn limits_disruptions(problem: &Problem) -> bool {
    problem.limits.max_disrupted.is_some()
        || problem.cluster.hosts.iter().any(|host| host.max_disrupted.is_some())
}

/// Adds the columns and the rows of all rules.
pub fn add_rules(problem: &Problem, builder: &mut ProgramBuilder, places: &Places) -> RuleColumns {
    let mut rules = RuleColumns::default();
    for group in &problem.cluster.groups {
        w3a(problem, builder, places, group);
        w3b(problem, builder, &mut rules, places, group);
        w3c(problem, builder, &mut rules, places, group);
    }
    rules.moved = w3d(problem, builder, &mut rules, places);
    w3e(problem, builder, &rules.moved);
    if limits_disruptions(problem) {
        w3f_w3g(problem, builder, &mut rules, places);
    }
    if problem.host_resources {
        w3h(problem, builder, places);
    }
    rules
}

fn workload_name(problem: &Problem, workload: WorkloadIndex) -> &str {
    &problem.cluster.workloads[workload.index()].name
}

fn is_pinned_on(problem: &Problem, workload: WorkloadIndex) -> Option<GpuIndex> {
    let place = problem.cluster.workloads[workload.index()].current?;
    (problem.role(workload) == Role::Pinned).then_some(place.gpu)
}

/// The columns of a workload's places, by site.
fn by_site(
    problem: &Problem,
    places: &Places,
    workload: WorkloadIndex,
    kind: SiteKind,
) -> BTreeMap<Site, Vec<Handle>> {
    let mut sites: BTreeMap<Site, Vec<Handle>> = BTreeMap::new();
    for place in places.get(&workload).into_iter().flatten() {
        sites.entry(problem.cluster.site_of(place.gpu, kind)).or_default().push(place.column);
    }
    sites
}

fn sum(handles: &[Handle]) -> Expression {
    handles.iter().map(|handle| handle.variable).sum()
}

/// The sites on which something of a group is pinned.
fn pinned_sites(problem: &Problem, group: &Group, kind: SiteKind) -> BTreeSet<Site> {
    let pinned = group.members.iter().filter_map(|&member| is_pinned_on(problem, member));
    pinned.map(|gpu| problem.cluster.site_of(gpu, kind)).collect()
}

/// (W3a) of a group that keeps apart at most one workload on a site, and none beside what is pinned there.
fn w3a(problem: &Problem, builder: &mut ProgramBuilder, places: &Places, group: &Group) {
    let Some(kind) = group.rules.apart else { return };
    let pinned = pinned_sites(problem, group, kind);
    let mut all: BTreeMap<Site, Vec<Handle>> = BTreeMap::new();
    for &member in &group.members {
        for (site, handles) in by_site(problem, places, member, kind) {
            all.entry(site).or_default().extend(handles);
        }
    }
    for (site, handles) in all {
        let most = if pinned.contains(&site) { 0 } else { 1 };
        let label = format!("W3a[{},{}]", group.rules.name, problem.cluster.site_name(site));
        builder.row(label, constraint!(sum(&handles) <= most));
    }
}

/// (W3b) a group that belongs together has one site at most, where all of its places are.
fn w3b(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    rules: &mut RuleColumns,
    places: &Places,
    group: &Group,
) {
    let Some(kind) = group.rules.together else { return };
    let (name, pinned) = (&group.rules.name, pinned_sites(problem, group, kind));
    let members = group.members.iter().map(|&member| (member, by_site(problem, places, member, kind)));
    let members = members.collect_vec();
    let sites: BTreeSet<Site> = members.iter().flat_map(|(_, sites)| sites.keys().copied()).collect();
    let mut chosen = Expression::default();
    for site in sites {
        let site_name = problem.cluster.site_name(site);
        let here = members.iter().filter_map(|(member, sites)| Some((*member, sites.get(&site)?)));
        let here = here.collect_vec();
        let may_be_here = pinned.is_empty() || pinned.contains(&site);
        let meaning = Meaning::OneOf(here.iter().flat_map(|(_, handles)| handles.iter().copied()).collect());
        let t = rules.add(builder, format!("t[{name},{site_name}]"), u8::from(may_be_here), meaning);
        chosen += t.variable;
        for (member, handles) in here {
            let label = format!("W3b[{name},{},{site_name}]", workload_name(problem, member));
            builder.row(label, constraint!(sum(handles) <= t.variable));
        }
    }
    builder.row(format!("W3b'[{name}]"), constraint!(chosen <= 1));
}

/// (W3c) of a group that counts as one all workloads have a place, or none.
fn w3c(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    rules: &mut RuleColumns,
    places: &Places,
    group: &Group,
) {
    let decided = group.members.iter().filter(|member| problem.role(**member).is_decided()).collect_vec();
    if !group.rules.as_one || decided.len() < 2 {
        return;
    }
    let name = &group.rules.name;
    let handles =
        |workload| places.get(workload).into_iter().flatten().map(|place| place.column).collect_vec();
    let placed = rules.add(builder, format!("a[{name}]"), 1, Meaning::OneOf(handles(decided[0])));
    for workload in decided {
        let label = format!("W3c[{name},{}]", workload_name(problem, *workload));
        builder.row(label, constraint!(sum(&handles(workload)) == placed.variable));
    }
}

/// (W3d) who counts as moved: whoever is on another GPU or has no place, where shifts count also whoever is in another slot, and
/// those that count as one with it.
fn w3d(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    rules: &mut RuleColumns,
    places: &Places,
) -> BTreeMap<WorkloadIndex, Expression> {
    let counts_shifts = problem.limits.shifts == Shifts::Counted;
    let unchanged =
        unchanged(
            problem,
            places,
            |gpu, place| if counts_shifts { place.keeps_slot } else { place.gpu == gpu },
        );
    as_one(problem, builder, rules, &unchanged, ["m", "M", "W3d"])
}

/// For every running workload, its places that leave it unchanged.
fn unchanged(
    problem: &Problem,
    places: &Places,
    is_unchanged: impl Fn(GpuIndex, &Place) -> bool,
) -> BTreeMap<WorkloadIndex, Vec<Handle>> {
    let residents = problem.decided().filter(|&workload| problem.role(workload) == Role::Resident);
    residents
        .map(|workload| {
            let gpu = problem.cluster.workloads[workload.index()].current.expect("residents run").gpu;
            let places = places.get(&workload).into_iter().flatten();
            let unchanged = places.filter(|place| is_unchanged(gpu, place));
            (workload, unchanged.map(|place| place.column).collect())
        })
        .collect()
}

/// Whether running workloads count as changed: those not in one of these places, and those that count as one with them. The names
/// are those of the column of a group, of the column of a workload of several groups, and of the rows.
fn as_one(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    rules: &mut RuleColumns,
    unchanged: &BTreeMap<WorkloadIndex, Vec<Handle>>,
    [group_family, workload_family, label]: [&str; 3],
) -> BTreeMap<WorkloadIndex, Expression> {
    let mut of_groups: BTreeMap<WorkloadIndex, Vec<Handle>> = BTreeMap::new();
    for group in problem.cluster.groups.iter().filter(|group| group.rules.as_one) {
        let running = group.members.iter().filter_map(|member| Some((*member, unchanged.get(member)?)));
        let running = running.collect_vec();
        if running.len() < 2 {
            continue;
        }
        let name = &group.rules.name;
        let meaning = Meaning::NoneOfSome(running.iter().map(|(_, handles)| (*handles).clone()).collect());
        let any = rules.add(builder, format!("{group_family}[{name}]"), 1, meaning);
        for (workload, handles) in running {
            let label = format!("{label}[{name},{}]", workload_name(problem, workload));
            builder.row(label, constraint!(Expression::from(1.0) - sum(handles) <= any.variable));
            of_groups.entry(workload).or_default().push(any);
        }
    }
    let mut counted = |(&workload, handles): (&WorkloadIndex, &Vec<Handle>)| {
        let counts = match of_groups.get(&workload).map(Vec::as_slice) {
            None => Expression::from(1.0) - sum(handles),
            Some([group]) => group.variable.into(),
            Some(groups) => {
                let name = workload_name(problem, workload);
                let meaning = Meaning::OneOf(groups.to_vec());
                let any = rules.add(builder, format!("{workload_family}[{name}]"), 1, meaning);
                for (number, group) in groups.iter().enumerate() {
                    let label = format!("{label}'[{name},{number}]");
                    builder.row(label, constraint!(group.variable <= any.variable));
                }
                any.variable.into()
            }
        };
        (workload, counts)
    };
    unchanged.iter().map(&mut counted).collect()
}

/// (W3e) no more are moved than may be.
fn w3e(problem: &Problem, builder: &mut ProgramBuilder, moved: &BTreeMap<WorkloadIndex, Expression>) {
    if let Some(most) = problem.limits.max_migrations {
        let all: Expression = moved.values().cloned().sum();
        builder.row("W3e".to_owned(), constraint!(all <= f64::from(most)));
    }
}

/// (W3f) who counts as disrupted: whoever is not in its slot, and those that count as one with it. (W3g) no more of them than may
/// be, of the instance and of each host.
fn w3f_w3g(problem: &Problem, builder: &mut ProgramBuilder, rules: &mut RuleColumns, places: &Places) {
    let unchanged = unchanged(problem, places, |_, place| place.keeps_slot);
    let disrupted = as_one(problem, builder, rules, &unchanged, ["d", "D", "W3f"]);
    if let Some(most) = problem.limits.max_disrupted {
        let all: Expression = disrupted.values().cloned().sum();
        builder.row("W3g".to_owned(), constraint!(all <= f64::from(most)));
    }
    let cluster = &problem.cluster;
    for (number, host) in cluster.hosts.iter().enumerate() {
        let Some(most) = host.max_disrupted else { continue };
        let runs_here = |workload: &WorkloadIndex| {
            let place = cluster.workloads[workload.index()].current.expect("residents run");
            cluster.gpus[place.gpu.index()].host == Some(HostIndex::at(number))
        };
        let here = disrupted.iter().filter(|(workload, _)| runs_here(workload));
        let here: Expression = here.map(|(_, counts)| counts.clone()).sum();
        builder.row(format!("W3g[{}]", host.name), constraint!(here <= f64::from(most)));
    }
}

/// (W3h) CPU cores and main memory of a host suffice for what is on its GPUs, in units of which all amounts are multiples.
fn w3h(problem: &Problem, builder: &mut ProgramBuilder, places: &Places) {
    let cluster = &problem.cluster;
    let demands = Demands::of(cluster);
    for (number, host) in cluster.hosts.iter().enumerate() {
        let is_here = |gpu: GpuIndex| cluster.gpus[gpu.index()].host == Some(HostIndex::at(number));
        for resource in demands.limited(&[(host.cpu, host.memory)]) {
            let mut used = Expression::default();
            let mut capacity = resource.capacity;
            for workload in cluster.workload_indices() {
                let need = resource.of_workload(cluster, workload);
                if is_pinned_on(problem, workload).is_some_and(is_here) {
                    capacity -= need;
                }
                for place in places.get(&workload).into_iter().flatten().filter(|place| is_here(place.gpu)) {
                    used += need * place.column.variable;
                }
            }
            let label = format!("W3h[{},{}]", host.name, resource.name);
            builder.row(label, constraint!(used <= capacity));
        }
    }
}
