//! Rows A9-A17 of `models/wpm.md`: what rules on nodes, GPUs, groups and limits of change allow, counted like everything else.
//!
//! Every rule is a row over *presence*, how many workloads of some pools are on some GPUs in the end, or over *departures*, how many
//! residents are not where they were.

use super::columns::KindColumns;
use super::concerns::Slots;
use super::linear::Linear;
use super::states::{Contents, Kind, PoolIndex, ResidentClass, States};
use crate::instance::{Problem, Role};
use cluster::{GroupIndex, HostIndex, Site, SiteKind, WorkloadIndex};
use good_lp::{constraint, variable};
use itertools::Itertools;
use milp::{Handle, ProgramBuilder};
use std::collections::BTreeMap;

/// The columns that rules ask for.
#[derive(Default)]
pub(super) struct RuleColumns {
    /// In an order in which what decides about one comes before it.
    signs: Vec<Sign>,
    /// Whether workloads move that belong to exactly these groups which move as one.
    pub moved: TiedColumns,
}

/// A column for all workloads that belong to the same groups which change as one.
pub(super) type TiedColumns = BTreeMap<Vec<GroupIndex>, Handle>;

/// A column that is 1 as soon as one of some sums is above 0.
struct Sign {
    column: Handle,
    of: Vec<Linear>,
}

impl RuleColumns {
    /// Completes a point in which all other columns are as they should be.
    pub fn follow(&self, columns: &mut [f64]) {
        for sign in &self.signs {
            let is_set = sign.of.iter().any(|sum| sum.value(columns) > 0.5);
            columns[sign.column.index] = f64::from(u8::from(is_set));
        }
    }
}

/// Residents of a kind, so many times as they count.
pub(super) fn residents(kind: &Kind, of: impl Fn(&ResidentClass) -> f64) -> f64 {
    let on_gpu = |contents: &Contents| -> f64 {
        contents.iter().map(|(class, number)| f64::from(number) * of(kind.class(class))).sum()
    };
    kind.gpu_classes.iter().map(|class| class.gpus.len() as f64 * on_gpu(&class.contents)).sum()
}

/// Adds the columns and rows of all rules that can exclude something.
pub(super) fn add_rules(
    builder: &mut ProgramBuilder,
    problem: &Problem,
    states: &States,
    columns: &[KindColumns],
    pending: &[Handle],
) -> RuleColumns {
    let rules = RuleColumns::default();
    if states.concerns.is_empty() {
        return rules;
    }
    let mut writer = Writer { builder, problem, states, columns, rules };
    writer.a9_apart();
    writer.a10_together();
    writer.a12_hosts();
    writer.a13_placed_as_one(pending);
    let moved = writer.a14_tied("moved", |writer, kind, of| writer.departed(kind, of));
    let any_shifts = states.kinds.iter().any(|kind| kind.slots == Slots::Disrupting);
    let disrupted = match any_shifts {
        true => writer.a14_tied("disrupted", |writer, kind, of| writer.disrupted(kind, of)),
        false => moved.clone(),
    };
    writer.a15_changes(&moved, &disrupted);
    RuleColumns { moved, ..writer.rules }
}

struct Writer<'w> {
    builder: &'w mut ProgramBuilder,
    problem: &'w Problem,
    states: &'w States,
    columns: &'w [KindColumns],
    rules: RuleColumns,
}

/// How much a resident counts.
type Weight<'a> = &'a dyn Fn(&ResidentClass) -> f64;

impl Writer<'_> {
    fn kinds(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.states.kinds.len()
    }

    fn kinds_of_host(&self, host: HostIndex) -> Vec<usize> {
        let host_of = |kind: &Kind| self.problem.cluster.gpus[kind.sample.index()].host;
        self.states.kinds.iter().positions(|kind| host_of(kind) == Some(host)).collect()
    }

    fn groups_of(&self, class: &ResidentClass) -> &[GroupIndex] {
        &self.states.pools.list[class.pool.index()].groups
    }

    /// The groups of residents of a class that change as one.
    fn tied(&self, class: &ResidentClass) -> &[GroupIndex] {
        self.states.pools.tied(class.pool)
    }

    fn group_name(&self, group: GroupIndex) -> &str {
        &self.problem.cluster.groups[group.index()].rules.name
    }

    /// A column that is 1 as soon as one of the sums is above 0, given the rows that make it so.
    fn sign(&mut self, name: String, of: Vec<Linear>) -> Handle {
        let column = Handle::add(self.builder, name, variable().integer().min(0).max(1));
        self.rules.signs.push(Sign { column, of });
        column
    }

    /// Residents of a kind that are not on their GPU in the end, or come back from their pool.
    fn departed(&self, kind: usize, of: Weight<'_>) -> Linear {
        let (kind, columns) = (&self.states.kinds[kind], &self.columns[kind]);
        let mut sum = Linear::default();
        for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
            for (option, keep) in class.options.iter().zip(options) {
                let departures = class.contents.departures(&option.keep);
                let counts: f64 =
                    departures.map(|(class, number)| f64::from(number) * of(kind.class(class))).sum();
                sum.add(counts, *keep);
            }
        }
        for ((_, class), leave) in &columns.leave {
            sum.add(of(kind.class(*class)), *leave);
        }
        sum
    }

    /// Residents of a kind that are not in their slot in the end, or might not be.
    fn disrupted(&self, kind: usize, of: Weight<'_>) -> Linear {
        let mut sum = self.departed(kind, of);
        let (kind, columns) = (&self.states.kinds[kind], &self.columns[kind]);
        for (class, options) in kind.gpu_classes.iter().zip(&columns.keep) {
            for (option, keep) in class.options.iter().zip(options) {
                let shifted = option.shifted.iter();
                let counts: f64 =
                    shifted.map(|(class, number)| f64::from(number) * of(kind.class(class))).sum();
                sum.add(counts, *keep);
            }
        }
        sum
    }

    /// Workloads on the GPUs of a kind in the end, pinned ones aside.
    fn presence(&self, number: usize, of: &dyn Fn(PoolIndex) -> f64) -> Linear {
        let (kind, columns) = (&self.states.kinds[number], &self.columns[number]);
        let of_class: Weight<'_> = &|class| of(class.pool);
        let mut sum = Linear::default();
        sum.add_constant(residents(kind, of_class));
        sum.add_all(-1.0, &self.departed(number, of_class));
        for ((pool, _), assign) in &columns.assign {
            sum.add(of(*pool), *assign);
        }
        sum
    }

    /// Presence of a group at every site where it could be.
    fn presence_by_site(&self, group: GroupIndex, kind: SiteKind) -> BTreeMap<Site, Linear> {
        let is_member = |pool: PoolIndex| {
            let groups = &self.states.pools.list[pool.index()].groups;
            f64::from(u8::from(groups.contains(&group)))
        };
        let mut sites: BTreeMap<Site, Linear> = BTreeMap::new();
        for number in self.kinds() {
            let presence = self.presence(number, &is_member);
            if !presence.is_constant() || presence.value(&[]) > 0.0 {
                let site = self.problem.cluster.site_of(self.states.kinds[number].sample, kind);
                sites.entry(site).or_default().add_all(1.0, &presence);
            }
        }
        sites
    }

    /// Pinned workloads of a group by site.
    fn pinned_by_site(&self, group: GroupIndex, kind: SiteKind) -> BTreeMap<Site, usize> {
        let cluster = &self.problem.cluster;
        let members = cluster.groups[group.index()].members.iter();
        let pinned = members.filter(|member| self.problem.role(**member) == Role::Pinned);
        let site = |member: &WorkloadIndex| {
            let current = cluster.workloads[member.index()].current;
            cluster.site_of(current.expect("what is pinned runs").gpu, kind)
        };
        pinned.fold(BTreeMap::new(), |mut counts, member| {
            *counts.entry(site(member)).or_default() += 1;
            counts
        })
    }

    /// A9: no two workloads of a group at one site, beside what is pinned there.
    fn a9_apart(&mut self) {
        for (group, kind) in self.states.concerns.apart() {
            let pinned = self.pinned_by_site(group, kind);
            for (site, presence) in self.presence_by_site(group, kind) {
                let room = f64::from(u8::from(!pinned.contains_key(&site)));
                let label =
                    format!("A9[{},{}]", self.group_name(group), self.problem.cluster.site_name(site));
                self.builder.row(label, constraint!(presence.expression() <= room));
            }
        }
    }

    /// A10: workloads of a group are only at the site that is chosen; A11: which is one, that of the pinned ones if there are any.
    fn a10_together(&mut self) {
        for (group, kind) in self.states.concerns.together() {
            let pinned = self.pinned_by_site(group, kind);
            let members = self.problem.cluster.groups[group.index()].members.len() as f64;
            let mut chosen = Linear::default();
            let name = self.group_name(group).to_owned();
            for (site, presence) in self.presence_by_site(group, kind) {
                if pinned.contains_key(&site) {
                    continue;
                }
                let place = format!("{name},{}", self.problem.cluster.site_name(site));
                let mut excess = presence.clone();
                if pinned.is_empty() {
                    let here = self.sign(format!("together[{place}]"), vec![presence]);
                    excess.add(-members, here);
                    chosen.add(1.0, here);
                }
                self.builder.row(format!("A10[{place}]"), constraint!(excess.expression() <= 0.0));
            }
            if !chosen.is_constant() {
                self.builder.row(format!("A11[{name}]"), constraint!(chosen.expression() <= 1.0));
            }
        }
    }

    /// A12: CPU and memory of a host suffice.
    fn a12_hosts(&mut self) {
        let cluster = &self.problem.cluster;
        for (host, resource) in &self.states.concerns.resources {
            let of_pool =
                |pool: PoolIndex| resource.of_workload(cluster, self.states.pools.list[pool.index()].sample);
            let is_pinned_here = |workload: &WorkloadIndex| {
                let current = cluster.workloads[workload.index()].current;
                self.problem.role(*workload) == Role::Pinned
                    && current.is_some_and(|place| cluster.gpus[place.gpu.index()].host == Some(*host))
            };
            let pinned = cluster.workload_indices().filter(is_pinned_here);
            let pinned: f64 = pinned.map(|workload| resource.of_workload(cluster, workload)).sum();
            let mut used = Linear::default();
            used.add_constant(pinned);
            for kind in self.kinds_of_host(*host) {
                used.add_all(1.0, &self.presence(kind, &of_pool));
            }
            let label = format!("A12[{},{}]", cluster.hosts[host.index()].name, resource.name);
            self.builder.row(label, constraint!(used.expression() <= resource.capacity));
        }
    }

    /// A13: of a group that is placed as one all wait or none.
    fn a13_placed_as_one(&mut self, pending: &[Handle]) {
        for group in self.states.concerns.placed_as_one() {
            let mut waiting = Linear::default();
            let mut members = 0.0;
            for (pool, pending) in self.states.pools.list.iter().zip(pending) {
                if pool.groups.contains(&group) {
                    waiting.add(1.0, *pending);
                    members += pool.size as f64;
                }
            }
            let name = self.group_name(group).to_owned();
            let out = self.sign(format!("out[{name}]"), vec![waiting.clone()]);
            waiting.add(-members, out);
            self.builder.row(format!("A13[{name}]"), constraint!(waiting.expression() == 0.0));
        }
    }

    /// A14: a group that changes as one does so as soon as one of its workloads changes, and so does who belongs to several such groups
    /// as soon as one of them does.
    fn a14_tied(&mut self, what: &str, changes: impl Fn(&Self, usize, Weight<'_>) -> Linear) -> TiedColumns {
        let mut tied = TiedColumns::new();
        for group in self.states.concerns.moved_as_one() {
            let name = self.group_name(group).to_owned();
            let is_member = |writer: &Self, class: &ResidentClass| {
                f64::from(u8::from(writer.groups_of(class).contains(&group)))
            };
            let of_kind = |writer: &Self, kind: usize| {
                let of: Weight<'_> = &|class| is_member(writer, class);
                (changes(writer, kind, of), residents(&writer.states.kinds[kind], of))
            };
            let changed = self.kinds().map(|kind| of_kind(self, kind)).collect_vec();
            let sums = changed.iter().map(|(sum, _)| sum.clone()).collect();
            let column = self.sign(format!("{what}[{name}]"), sums);
            for (kind, (mut sum, members)) in changed.into_iter().enumerate() {
                if !sum.is_constant() {
                    sum.add(-members, column);
                    let label = format!("A14[{what},{name},{}]", self.states.kinds[kind].name);
                    self.builder.row(label, constraint!(sum.expression() <= 0.0));
                }
            }
            tied.insert(vec![group], column);
        }
        let several = self.states.kinds.iter().flat_map(|kind| &kind.resident_classes);
        let several = several.map(|class| self.tied(class).to_vec()).filter(|groups| groups.len() > 1);
        for groups in several.sorted().dedup().collect_vec() {
            let name = groups.iter().map(|&group| self.group_name(group)).join("+");
            let of_group = |group: &GroupIndex| tied[std::slice::from_ref(group)];
            let parts = groups.iter().map(of_group).collect_vec();
            let sums = parts.iter().map(|&part| {
                let mut sum = Linear::default();
                sum.add(1.0, part);
                sum
            });
            let column = self.sign(format!("{what}[{name}]"), sums.collect());
            for (group, part) in groups.iter().zip(parts) {
                let label = format!("A14[{what},{name},{}]", self.group_name(*group));
                self.builder.row(label, constraint!(part.variable - column.variable <= 0.0));
            }
            tied.insert(groups, column);
        }
        tied
    }

    /// A15: no more migrations than are allowed; A16: nor disrupted workloads; A17: nor of those that run on a host.
    fn a15_changes(&mut self, moved: &TiedColumns, disrupted: &TiedColumns) {
        let concerns = &self.states.concerns;
        if let Some(most) = concerns.max_migrations {
            let sum = self.changes(self.kinds(), moved, |kind, of| self.departed(kind, of));
            self.builder.row("A15", constraint!(sum.expression() <= f64::from(most)));
        }
        let all = |kind, of: Weight<'_>| self.disrupted(kind, of);
        let everywhere =
            concerns.max_disrupted.map(|most| (most, self.changes(self.kinds(), disrupted, all)));
        let hosts = concerns.budgets.iter().map(|&(host, most)| {
            let sum = self.changes(self.kinds_of_host(host).into_iter(), disrupted, all);
            (host, most, sum)
        });
        let hosts = hosts.collect_vec();
        if let Some((most, sum)) = everywhere {
            self.builder.row("A16", constraint!(sum.expression() <= f64::from(most)));
        }
        for (host, most, sum) in hosts {
            let label = format!("A17[{}]", self.problem.cluster.hosts[host.index()].name);
            self.builder.row(label, constraint!(sum.expression() <= f64::from(most)));
        }
    }

    /// How many residents of some kinds change, those that change as one included.
    fn changes(
        &self,
        kinds: impl Iterator<Item = usize>,
        tied: &TiedColumns,
        alone: impl Fn(usize, Weight<'_>) -> Linear,
    ) -> Linear {
        let mut sum = Linear::default();
        for number in kinds {
            sum.add_all(1.0, &alone(number, &|class| f64::from(u8::from(self.tied(class).is_empty()))));
            for (groups, column) in tied {
                let of = |class: &ResidentClass| f64::from(u8::from(self.tied(class) == groups.as_slice()));
                sum.add(residents(&self.states.kinds[number], of), *column);
            }
        }
        sum
    }
}
