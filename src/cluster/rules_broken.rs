//! Which rules of a cluster a placement breaks: nodes, groups, GPUs out of service, and budgets of changes.

use super::{Cluster, Group, Maintenance, Placement, Site, SiteKind, WorkloadIndex};
use ground::{counted, name_some};
use itertools::Itertools;
use std::collections::BTreeMap;

/// A rule of a cluster that a placement breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleBroken {
    /// A workload starts on a GPU that is cordoned or to be drained.
    StartsOutOfService { workload: String, gpu: String },
    /// A movable workload is still on a GPU that is to be drained.
    NotDrained { workload: String, gpu: String },
    /// A workload is on a node to which it is not admitted.
    WrongNode { workload: String, node: String },
    /// Workloads of a group that keeps apart share a node or a GPU; those named are all that are there.
    NotApart { group: String, site: String, workloads: Vec<String> },
    /// Workloads of a group that belongs together are on several nodes or GPUs, each with one of them.
    NotTogether { group: String, places: Vec<(String, String)> },
    /// Of a group that counts as one, some workloads have a place and others have none.
    NotAsOne { group: String, placed: String, pending: String },
    /// More running workloads are moved than may be.
    TooManyMigrations { most: u32, workloads: Vec<String> },
    /// More running workloads are disrupted than may be: of those on a host, or of all.
    TooManyDisrupted { host: Option<String>, most: u32, workloads: Vec<String> },
}

impl RuleBroken {
    /// The rule's short, stable name.
    pub fn rule(&self) -> &'static str {
        match self {
            RuleBroken::StartsOutOfService { .. } => "starts-out-of-service",
            RuleBroken::NotDrained { .. } => "not-drained",
            RuleBroken::WrongNode { .. } => "wrong-node",
            RuleBroken::NotApart { .. } => "not-apart",
            RuleBroken::NotTogether { .. } => "not-together",
            RuleBroken::NotAsOne { .. } => "not-as-one",
            RuleBroken::TooManyMigrations { .. } => "too-many-migrations",
            RuleBroken::TooManyDisrupted { .. } => "too-many-disrupted",
        }
    }
}

impl std::fmt::Display for RuleBroken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RuleBroken::StartsOutOfService { workload, gpu } => {
                write!(formatter, "`{workload}` starts on {gpu}, which is cordoned or to be drained")
            }
            RuleBroken::NotDrained { workload, gpu } => {
                write!(formatter, "`{workload}` may be moved and is still on {gpu}, which is to be drained")
            }
            RuleBroken::WrongNode { workload, node } => {
                write!(
                    formatter,
                    "`{workload}` is on {node}, which its `nodes` and `node_selector` do not admit"
                )
            }
            RuleBroken::NotApart { group, site, workloads } => write!(
                formatter,
                "{} workloads of group `{group}`, which keeps apart, share {site}: {}",
                workloads.len(),
                name_some(workloads)
            ),
            RuleBroken::NotTogether { group, places } => {
                let told =
                    places.iter().map(|(workload, site)| format!("{workload} on {site}")).collect_vec();
                write!(
                    formatter,
                    "workloads of group `{group}`, which belongs together, are in {} places: {}",
                    places.len(),
                    name_some(&told)
                )
            }
            RuleBroken::NotAsOne { group, placed, pending } => write!(
                formatter,
                "of group `{group}`, which counts as one, `{placed}` has a place and `{pending}` has none"
            ),
            RuleBroken::TooManyMigrations { most, workloads } => write!(
                formatter,
                "{} moved, but `max_migrations` is {most}: {}",
                are(workloads.len()),
                name_some(workloads)
            ),
            RuleBroken::TooManyDisrupted { host, most, workloads } => {
                let (of_host, whose) = match host {
                    Some(host) => (format!(" of host {host}"), "its"),
                    None => (String::new(), "the instance's"),
                };
                write!(
                    formatter,
                    "{} disrupted{of_host}, but {whose} `max_disrupted` is {most}: {}",
                    are(workloads.len()),
                    name_some(workloads)
                )
            }
        }
    }
}

fn are(workloads: usize) -> String {
    format!("{} {}", counted(workloads, "workload"), if workloads == 1 { "is" } else { "are" })
}

/// The part of a workload in a question, as far as the rules of clusters ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It stays where it is.
    Pinned,
    /// A running workload that may be moved.
    Resident,
    /// A workload without a place that may get one.
    Newcomer,
    /// The question leaves it without a place.
    NotConsidered,
}

impl Part {
    /// Whether a placement decides about it.
    pub fn is_decided(self) -> bool {
        matches!(self, Part::Resident | Part::Newcomer)
    }
}

/// Who counts as moved, and who as disrupted, by workload, and how many may.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'c> {
    /// Who counts as moved.
    pub moved: &'c [bool],
    /// Who counts as disrupted.
    pub disrupted: &'c [bool],
    /// Most that may be moved.
    pub max_migrations: Option<u32>,
    /// Most that may be disrupted; hosts have budgets of their own.
    pub max_disrupted: Option<u32>,
}

/// What the rules of a cluster have against a placement.
pub fn rules_broken(
    cluster: &Cluster,
    placement: &Placement,
    part: impl Fn(WorkloadIndex) -> Part,
    changed: Changed<'_>,
) -> Vec<RuleBroken> {
    let mut reader = Reader { cluster, placement, part, broken: Vec::new() };
    reader.check_service_and_nodes();
    for group in &cluster.groups {
        reader.check_apart(group);
        reader.check_together(group);
        reader.check_as_one(group);
    }
    reader.check_budgets(changed);
    reader.broken
}

struct Reader<'r, P> {
    cluster: &'r Cluster,
    placement: &'r Placement,
    part: P,
    broken: Vec<RuleBroken>,
}

impl<P: Fn(WorkloadIndex) -> Part> Reader<'_, P> {
    fn name(&self, workload: WorkloadIndex) -> String {
        self.cluster.workloads[workload.index()].name.clone()
    }

    fn names(&self, workloads: &[WorkloadIndex]) -> Vec<String> {
        workloads.iter().map(|&workload| self.name(workload)).collect()
    }

    fn check_service_and_nodes(&mut self) {
        for workload in self.cluster.workload_indices() {
            let Some(place) = self.placement.of(workload).filter(|_| (self.part)(workload).is_decided())
            else {
                continue;
            };
            let gpu = &self.cluster.gpus[place.gpu.index()];
            let stays = self.cluster.workloads[workload.index()].current == Some(place);
            let names = || (self.name(workload), gpu.name.clone());
            let broken = match gpu.maintenance {
                Maintenance::InService => None,
                Maintenance::Cordoned | Maintenance::Draining if !stays => {
                    let (workload, gpu) = names();
                    Some(RuleBroken::StartsOutOfService { workload, gpu })
                }
                Maintenance::Cordoned => None,
                Maintenance::Draining => {
                    let (workload, gpu) = names();
                    Some(RuleBroken::NotDrained { workload, gpu })
                }
            };
            self.broken.extend(broken);
            if !self.cluster.admits(workload, place.gpu) {
                let node = self.cluster.site_of(place.gpu, SiteKind::Node);
                let node = self.cluster.site_name(node).to_owned();
                self.broken.push(RuleBroken::WrongNode { workload: self.name(workload), node });
            }
        }
    }

    /// The workloads of a group that have a place, by site.
    fn by_site(&self, group: &Group, kind: SiteKind) -> BTreeMap<Site, Vec<WorkloadIndex>> {
        let mut by_site: BTreeMap<Site, Vec<WorkloadIndex>> = BTreeMap::new();
        for &member in &group.members {
            if let Some(place) = self.placement.of(member) {
                by_site.entry(self.cluster.site_of(place.gpu, kind)).or_default().push(member);
            }
        }
        by_site
    }

    fn check_apart(&mut self, group: &Group) {
        let Some(kind) = group.rules.apart else { return };
        for (site, members) in self.by_site(group, kind) {
            let pinned = members.iter().filter(|member| (self.part)(**member) == Part::Pinned).count();
            if members.len() > pinned.max(1) {
                self.broken.push(RuleBroken::NotApart {
                    group: group.rules.name.clone(),
                    site: self.cluster.site_name(site).to_owned(),
                    workloads: self.names(&members),
                });
            }
        }
    }

    fn check_together(&mut self, group: &Group) {
        let Some(kind) = group.rules.together else { return };
        let sites = self.by_site(group, kind);
        if sites.len() > 1 {
            let place = |(site, members): (&Site, &Vec<WorkloadIndex>)| {
                (self.name(members[0]), self.cluster.site_name(*site).to_owned())
            };
            let places = sites.iter().map(place).collect();
            self.broken.push(RuleBroken::NotTogether { group: group.rules.name.clone(), places });
        }
    }

    fn check_as_one(&mut self, group: &Group) {
        if !group.rules.as_one {
            return;
        }
        let decided = || group.members.iter().filter(|member| (self.part)(**member).is_decided());
        let has_place = |member: &&WorkloadIndex| self.placement.of(**member).is_some();
        let placed = decided().find(has_place);
        let pending = decided().find(|member| !has_place(member));
        if let (Some(&placed), Some(&pending)) = (placed, pending) {
            self.broken.push(RuleBroken::NotAsOne {
                group: group.rules.name.clone(),
                placed: self.name(placed),
                pending: self.name(pending),
            });
        }
    }

    fn check_budgets(&mut self, changed: Changed<'_>) {
        let all = |is_changed: &[bool]| {
            self.cluster.workload_indices().filter(|workload| is_changed[workload.index()]).collect_vec()
        };
        let (moved, disrupted) = (all(changed.moved), all(changed.disrupted));
        if let Some(most) = changed.max_migrations.filter(|&most| moved.len() > most as usize) {
            self.broken.push(RuleBroken::TooManyMigrations { most, workloads: self.names(&moved) });
        }
        if let Some(most) = changed.max_disrupted.filter(|&most| disrupted.len() > most as usize) {
            let workloads = self.names(&disrupted);
            self.broken.push(RuleBroken::TooManyDisrupted { host: None, most, workloads });
        }
        let mut by_host = vec![Vec::new(); self.cluster.hosts.len()];
        for &workload in &disrupted {
            let place = self.cluster.workloads[workload.index()].current.expect("it runs");
            if let Some(host) = self.cluster.gpus[place.gpu.index()].host {
                by_host[host.index()].push(workload);
            }
        }
        for (host, disrupted) in self.cluster.hosts.iter().zip(&by_host) {
            if let Some(most) = host.max_disrupted.filter(|&most| disrupted.len() > most as usize) {
                let (host, workloads) = (Some(host.name.clone()), self.names(disrupted));
                self.broken.push(RuleBroken::TooManyDisrupted { host, most, workloads });
            }
        }
    }
}
