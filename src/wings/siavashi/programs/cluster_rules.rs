//! Rows for the rules of clusters, the same in all programs: groups, and budgets of changes.
//!
//! GPUs out of service and nodes need none: places that they forbid have no columns.

use super::stage_plan::coefficient;
use crate::instance::Problem;
use crate::rules::{leaves_gpu, leaves_slot};
use crate::section::Goal;
use cluster::{GpuIndex, Group, GroupIndex, HostIndex, Placement, Site, SiteKind, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use ground::Amount;
use milp::{Handle, ProgramBuilder};
use std::collections::{BTreeMap, BTreeSet};

/// Workloads that a program counts together, none of them pinned: a single one, or several that are alike.
pub struct Party {
    /// Its workloads.
    pub members: Vec<WorkloadIndex>,
    /// How many of them are on a GPU, or on GPUs of one node that no group tells apart, of which one is given.
    pub(super) on: Vec<(GpuIndex, Expression)>,
    /// How many of them stay; nothing for newcomers, and where moves do not matter.
    pub stay: Option<Stay>,
}

/// How many workloads of a party stay.
pub struct Stay {
    /// On their GPUs.
    pub(super) on_gpu: Expression,
    /// In their slots; nothing in a program that does not see starts.
    pub(super) in_slot: Option<Expression>,
}

/// What may happen to a workload that runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Moved,
    Disrupted,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Change::Moved => "moved",
            Change::Disrupted => "disrupted",
        }
    }

    /// How many workloads of a party are not changed by themselves.
    fn unchanged(self, stay: &Stay) -> Option<&Expression> {
        match self {
            Change::Moved => Some(&stay.on_gpu),
            Change::Disrupted => stay.in_slot.as_ref(),
        }
    }

    fn happens(self, problem: &Problem, placement: &Placement, workload: WorkloadIndex) -> bool {
        match self {
            Change::Moved => leaves_gpu(problem, placement, workload),
            Change::Disrupted => leaves_slot(problem, placement, workload),
        }
    }
}

/// The columns that the rules of the cluster add to a program; none without such rules.
#[derive(Default)]
pub struct ClusterRules {
    /// The one site of a group that is together.
    sites: Vec<(GroupIndex, SiteKind, Site, Handle)>,
    /// Whether the workloads of a group that count as one have places.
    whole: Vec<(GroupIndex, Handle)>,
    /// Whether one of the workloads of a group is changed by itself.
    with_group: Vec<(GroupIndex, Change, Handle)>,
    /// How many workloads of a party that is in several groups count as changed.
    counted: Vec<(Vec<WorkloadIndex>, Change, Handle)>,
    /// How many workloads of a party are at another start of their GPUs and count as moved all the same.
    spared: Vec<(Vec<WorkloadIndex>, Handle)>,
    /// What objective (5) counts for those that stay on their GPU and count as moved, beyond what their starts cost.
    joint_costs: Expression,
}

impl ClusterRules {
    /// Adds the columns and rows.
    pub fn add(
        problem: &Problem,
        builder: &mut ProgramBuilder,
        parties: impl FnOnce() -> Vec<Party>,
    ) -> ClusterRules {
        if !problem.has_rules() {
            return ClusterRules::default();
        }
        let parties = parties();
        let mut rows = Rows { problem, builder, parties: &parties, rules: ClusterRules::default() };
        for (position, group) in problem.cluster.groups.iter().enumerate() {
            rows.apart(group);
            rows.together(GroupIndex::at(position), group);
            rows.as_one(GroupIndex::at(position), group);
        }
        rows.moved();
        rows.disrupted();
        rows.rules
    }

    /// What objective (5) counts beside the changes of each workload by itself.
    pub(super) fn joint_costs(&self) -> Expression {
        self.joint_costs.clone()
    }

    /// Gives the columns the values that follow from a placement.
    pub fn complete(&self, problem: &Problem, placement: &Placement, columns: &mut [f64]) {
        let members = |group: GroupIndex| problem.cluster.groups[group.index()].members.iter().copied();
        let mut set = |column: Handle, is_so: bool| columns[column.index] = f64::from(u8::from(is_so));
        for &(group, kind, site, column) in &self.sites {
            let places = members(group).filter_map(|member| placement.of(member));
            let mut sites = places.map(|place| problem.cluster.site_of(place.gpu, kind));
            set(column, sites.any(|other| other == site));
        }
        for &(group, column) in &self.whole {
            let mut decided = members(group).filter(|member| problem.part(*member).is_decided());
            set(column, decided.any(|member| placement.of(member).is_some()));
        }
        let is_changed = |group: GroupIndex, change: Change| {
            let mut residents = members(group).filter(|member| problem.is_resident(*member));
            residents.any(|member| change.happens(problem, placement, member))
        };
        for &(group, change, column) in &self.with_group {
            set(column, is_changed(group, change));
        }
        let counts = |workload: WorkloadIndex, change: Change| {
            let mut groups = problem.cluster.groups_of(workload).filter(|(_, group)| group.rules.as_one);
            groups.any(|(group, _)| is_changed(group, change))
        };
        for (workloads, column) in &self.spared {
            let is_shifted = |workload: &&WorkloadIndex| {
                leaves_slot(problem, placement, **workload) && !leaves_gpu(problem, placement, **workload)
            };
            if counts(workloads[0], Change::Moved) {
                columns[column.index] = workloads.iter().filter(is_shifted).count() as f64;
            }
        }
        for (workloads, change, column) in &self.counted {
            if counts(workloads[0], *change) {
                columns[column.index] = workloads.len() as f64;
            }
        }
    }
}

/// What counts the changed workloads of a party.
struct Counted<'p> {
    party: &'p Party,
    /// By itself.
    own: Expression,
    /// With its groups.
    all: Expression,
    /// Whether its groups can count more than it does by itself.
    has_group: bool,
}

struct Rows<'r> {
    problem: &'r Problem,
    builder: &'r mut ProgramBuilder,
    parties: &'r [Party],
    rules: ClusterRules,
}

impl<'r> Rows<'r> {
    fn name(&self, workload: WorkloadIndex) -> &'r str {
        &self.problem.cluster.workloads[workload.index()].name
    }

    /// The parties of a group.
    fn of_group<'g>(&self, group: &'g Group) -> impl Iterator<Item = &'r Party> + use<'r, 'g> {
        let is_member = |party: &&Party| group.members.binary_search(&party.members[0]).is_ok();
        self.parties.iter().filter(is_member)
    }

    /// Where the pinned workloads of a group are.
    fn pinned_sites(&self, group: &Group, kind: SiteKind) -> BTreeSet<Site> {
        let pinned = group.members.iter().filter(|member| self.problem.is_pinned(**member));
        let places = pinned.filter_map(|&member| self.problem.current(member));
        places.map(|place| self.problem.cluster.site_of(place.gpu, kind)).collect()
    }

    /// `apart`: of a group at most one workload is at a site, and none beside a pinned one.
    fn apart(&mut self, group: &Group) {
        let Some(kind) = group.rules.apart else { return };
        let cluster = &self.problem.cluster;
        let pinned = self.pinned_sites(group, kind);
        let mut at_site: BTreeMap<Site, Expression> = BTreeMap::new();
        let mut decided = 0;
        for party in self.of_group(group) {
            decided += party.members.len();
            for (gpu, count) in &party.on {
                *at_site.entry(cluster.site_of(*gpu, kind)).or_default() += count.clone();
            }
        }
        for (site, count) in at_site {
            let most = if pinned.contains(&site) { 0 } else { 1 };
            if decided > most {
                let label = format!("apart[{},{}]", group.rules.name, cluster.site_name(site));
                self.builder.row(label, constraint!(count <= most as f64));
            }
        }
    }

    /// `together`: of a group all workloads with a place are at one site, `one-site`: where something is pinned, there.
    fn together(&mut self, index: GroupIndex, group: &Group) {
        let Some(kind) = group.rules.together else { return };
        let cluster = &self.problem.cluster;
        let parties: Vec<&Party> = self.of_group(group).collect();
        let name = &group.rules.name;
        if let Some(pinned) = self.pinned_sites(group, kind).first() {
            let on = parties.iter().flat_map(|party| &party.on);
            let elsewhere = on.filter(|(gpu, _)| cluster.site_of(*gpu, kind) != *pinned);
            let elsewhere: Expression = elsewhere.map(|(_, count)| count.clone()).sum();
            self.builder.row(format!("one-site[{name}]"), constraint!(elsewhere <= 0.0));
            return;
        }
        if parties.iter().map(|party| party.members.len()).sum::<usize>() < 2 {
            return;
        }
        let mut columns: BTreeMap<Site, Handle> = BTreeMap::new();
        for party in parties {
            let mut at_site: BTreeMap<Site, Expression> = BTreeMap::new();
            for (gpu, count) in &party.on {
                *at_site.entry(cluster.site_of(*gpu, kind)).or_default() += count.clone();
            }
            let most = party.members.len() as f64;
            for (site, count) in at_site {
                let site_name = cluster.site_name(site);
                let column = *columns.entry(site).or_insert_with(|| {
                    let name = format!("site[{name},{site_name}]");
                    let column = Handle::add(self.builder, name, variable().binary());
                    self.rules.sites.push((index, kind, site, column));
                    column
                });
                let label = format!("together[{name},{},{site_name}]", self.name(party.members[0]));
                self.builder.row(label, constraint!(count <= most * column.variable));
            }
        }
        let sites: Expression = columns.values().map(|column| column.variable).sum();
        self.builder.row(format!("one-site[{name}]"), constraint!(sites <= 1.0));
    }

    /// `as-one`: all decided workloads of a group have a place, or none.
    fn as_one(&mut self, index: GroupIndex, group: &Group) {
        let parties: Vec<&Party> = self.of_group(group).collect();
        let decided: usize = parties.iter().map(|party| party.members.len()).sum();
        if !group.rules.as_one || decided < 2 {
            return;
        }
        let name = format!("whole[{}]", group.rules.name);
        let whole = Handle::add(self.builder, name, variable().binary());
        self.rules.whole.push((index, whole));
        for party in parties {
            let placed: Expression = party.on.iter().map(|(_, count)| count.clone()).sum();
            let all = party.members.len() as f64;
            let label = format!("as-one[{},{}]", group.rules.name, self.name(party.members[0]));
            self.builder.row(label, constraint!(placed == all * whole.variable));
        }
    }

    /// `migrations`: the budget of those that count as moved; and what they cost.
    fn moved(&mut self) {
        let counted = self.counted(Change::Moved);
        if let Some(most) = self.problem.limits.max_migrations.filter(|_| self.problem.bounds_migrations()) {
            let moved: Expression = counted.iter().map(|counted| counted.all.clone()).sum();
            self.builder.row("migrations", constraint!(moved <= f64::from(most)));
        }
        for counted in counted.into_iter().filter(|counted| counted.has_group) {
            self.joint_cost(counted);
        }
    }

    /// Those that stay on their GPU and count as moved cost `move_gpu`, whatever their start.
    fn joint_cost(&mut self, counted: Counted<'_>) {
        let problem = self.problem;
        let example = counted.party.members[0];
        let cost = |cost: Amount| coefficient(problem, Goal::Migrations, problem.weighted(cost, example));
        let Counted { party, own, all, .. } = counted;
        self.rules.joint_costs.add_mul(cost(problem.costs.move_gpu), all.clone() - own);
        let of_start = cost(problem.costs.move_start);
        let stay = party.stay.as_ref();
        let Some((stay, in_slot)) = stay.and_then(|stay| Some((stay, stay.in_slot.as_ref()?))) else {
            return;
        };
        if of_start > 0.0 {
            let name = self.name(example);
            let most = party.members.len() as f64;
            let definition = variable().integer().min(0).max(most);
            let spared = Handle::add(self.builder, format!("spared[{name}]"), definition);
            let is_shifted = stay.on_gpu.clone() - in_slot.clone();
            self.builder.row(format!("spared-shift[{name}]"), constraint!(spared.variable <= is_shifted));
            self.builder.row(format!("spared-move[{name}]"), constraint!(spared.variable <= all));
            self.rules.joint_costs.add_mul(-of_start, spared.variable);
            self.rules.spared.push((party.members.clone(), spared));
        }
    }

    /// `disrupted`: the budgets of those that count as disrupted, of the instance and of hosts.
    fn disrupted(&mut self) {
        if !self.problem.bounds_disruptions() {
            return;
        }
        let cluster = &self.problem.cluster;
        let counted = self.counted(Change::Disrupted);
        let mut by_host: BTreeMap<HostIndex, Expression> = BTreeMap::new();
        let mut of_all = Expression::default();
        for counted in counted {
            of_all += counted.all.clone();
            let place = self.problem.current(counted.party.members[0]).expect("it runs");
            if let Some(host) = cluster.gpus[place.gpu.index()].host {
                *by_host.entry(host).or_default() += counted.all;
            }
        }
        if let Some(most) = self.problem.limits.max_disrupted {
            self.builder.row("disrupted", constraint!(of_all <= f64::from(most)));
        }
        for (host, count) in by_host {
            let about = &cluster.hosts[host.index()];
            if let Some(most) = about.max_disrupted {
                let label = format!("disrupted[{}]", about.name);
                self.builder.row(label, constraint!(count <= f64::from(most)));
            }
        }
    }

    /// How many workloads of each running party count as changed. `changed`: a group is changed when one of its workloads is;
    /// `with-group`: then all of them are.
    fn counted(&mut self, change: Change) -> Vec<Counted<'r>> {
        let own = |party: &Party| {
            let unchanged = change.unchanged(party.stay.as_ref()?)?.clone();
            Some(Expression::from(party.members.len() as f64) - unchanged)
        };
        let mut columns: BTreeMap<GroupIndex, Handle> = BTreeMap::new();
        for (position, group) in self.problem.cluster.groups.iter().enumerate() {
            let running: Vec<(&Party, Expression)> =
                self.of_group(group).filter_map(|party| Some((party, own(party)?))).collect();
            let residents: usize = running.iter().map(|(party, _)| party.members.len()).sum();
            if !group.rules.as_one || residents < 2 {
                continue;
            }
            let index = GroupIndex::at(position);
            let name = format!("{}-group[{}]", change.name(), group.rules.name);
            let column = Handle::add(self.builder, name, variable().binary());
            columns.insert(index, column);
            self.rules.with_group.push((index, change, column));
            for (party, own) in running {
                let label =
                    format!("{}-one[{},{}]", change.name(), group.rules.name, self.name(party.members[0]));
                self.builder.row(label, constraint!(own <= party.members.len() as f64 * column.variable));
            }
        }
        let mut counted = Vec::new();
        for party in self.parties {
            let Some(own) = own(party) else { continue };
            let all_of_it = party.members.len() as f64;
            let groups = self.problem.cluster.groups_of(party.members[0]);
            let groups: Vec<Handle> = groups.filter_map(|(group, _)| columns.get(&group)).copied().collect();
            let all = match groups[..] {
                [] => own.clone(),
                [group] => all_of_it * group.variable,
                _ => self.counted_by_several(change, party, &groups),
            };
            counted.push(Counted { party, own, all, has_group: !groups.is_empty() });
        }
        counted
    }

    fn counted_by_several(&mut self, change: Change, party: &Party, groups: &[Handle]) -> Expression {
        let (name, all_of_it) = (self.name(party.members[0]), party.members.len() as f64);
        let definition = variable().integer().min(0).max(all_of_it);
        let column = Handle::add(self.builder, format!("{}[{name}]", change.name()), definition);
        for (number, group) in groups.iter().enumerate() {
            let label = format!("{}-all[{name},{number}]", change.name());
            self.builder.row(label, constraint!(all_of_it * group.variable <= column.variable));
        }
        self.rules.counted.push((party.members.clone(), change, column));
        column.variable.into()
    }
}
