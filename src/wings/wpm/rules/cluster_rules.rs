//! The rules of clusters: on which nodes workloads may be, which keep apart or belong together, and how much may change.

use super::changes::Changes;
use super::solution::Solution;
use super::violation::Violation;
use crate::instance::{Problem, Role};
use cluster::{Group, Site, SiteKind, WorkloadIndex};
use itertools::Itertools;
use std::collections::BTreeMap;

/// Adds the rules of clusters that a solution breaks.
pub fn check_cluster_rules(
    problem: &Problem,
    solution: &Solution,
    changes: &Changes,
    violations: &mut Vec<Violation>,
) {
    check_nodes(problem, solution, violations);
    for group in &problem.cluster.groups {
        check_apart(problem, solution, group, violations);
        check_together(problem, solution, group, violations);
        check_as_one(problem, solution, group, violations);
    }
    check_migrations(problem, changes, violations);
    check_disrupted(problem, changes, violations);
}

fn name(problem: &Problem, workload: WorkloadIndex) -> String {
    problem.cluster.workloads[workload.index()].name.clone()
}

fn check_nodes(problem: &Problem, solution: &Solution, violations: &mut Vec<Violation>) {
    for workload in problem.decided() {
        let Some(place) = solution.placement.of(workload) else { continue };
        if !problem.cluster.admits(workload, place.gpu) {
            let node = problem.cluster.site_of(place.gpu, SiteKind::Node);
            let node = problem.cluster.site_name(node).to_owned();
            violations.push(Violation::WrongNode { workload: name(problem, workload), node });
        }
    }
}

/// The workloads of a group that have a place, by site.
fn by_site(
    problem: &Problem,
    solution: &Solution,
    group: &Group,
    kind: SiteKind,
) -> BTreeMap<Site, Vec<WorkloadIndex>> {
    let mut by_site: BTreeMap<Site, Vec<WorkloadIndex>> = BTreeMap::new();
    for &member in &group.members {
        if let Some(place) = solution.placement.of(member) {
            by_site.entry(problem.cluster.site_of(place.gpu, kind)).or_default().push(member);
        }
    }
    by_site
}

fn check_apart(problem: &Problem, solution: &Solution, group: &Group, violations: &mut Vec<Violation>) {
    let Some(kind) = group.rules.apart else { return };
    for (site, members) in by_site(problem, solution, group, kind) {
        let pinned = members.iter().filter(|member| problem.role(**member) == Role::Pinned).count();
        if members.len() > pinned.max(1) {
            violations.push(Violation::NotApart {
                group: group.rules.name.clone(),
                site: problem.cluster.site_name(site).to_owned(),
                workloads: members.iter().map(|&member| name(problem, member)).collect(),
            });
        }
    }
}

fn check_together(problem: &Problem, solution: &Solution, group: &Group, violations: &mut Vec<Violation>) {
    let Some(kind) = group.rules.together else { return };
    let sites = by_site(problem, solution, group, kind);
    if sites.len() > 1 {
        let place = |(site, members): (&Site, &Vec<WorkloadIndex>)| {
            (name(problem, members[0]), problem.cluster.site_name(*site).to_owned())
        };
        let places = sites.iter().map(place).collect();
        violations.push(Violation::NotTogether { group: group.rules.name.clone(), places });
    }
}

fn check_as_one(problem: &Problem, solution: &Solution, group: &Group, violations: &mut Vec<Violation>) {
    if !group.rules.as_one {
        return;
    }
    let decided = group.members.iter().copied().filter(|&member| problem.role(member).is_decided());
    let (placed, pending): (Vec<_>, Vec<_>) =
        decided.partition(|&member| solution.placement.of(member).is_some());
    if let (Some(&placed), Some(&pending)) = (placed.first(), pending.first()) {
        violations.push(Violation::NotAsOne {
            group: group.rules.name.clone(),
            placed: name(problem, placed),
            pending: name(problem, pending),
        });
    }
}

fn check_migrations(problem: &Problem, changes: &Changes, violations: &mut Vec<Violation>) {
    let Some(most) = problem.limits.max_migrations else { return };
    let moved = problem.decided().filter(|&workload| changes.is_moved(workload)).collect_vec();
    if moved.len() > most as usize {
        let workloads = moved.iter().map(|&workload| name(problem, workload)).collect();
        violations.push(Violation::TooManyMigrations { most, workloads });
    }
}

fn check_disrupted(problem: &Problem, changes: &Changes, violations: &mut Vec<Violation>) {
    let cluster = &problem.cluster;
    let mut check = |host: Option<&str>, most: u32, disrupted: &[WorkloadIndex]| {
        if disrupted.len() > most as usize {
            let workloads = disrupted.iter().map(|&workload| name(problem, workload)).collect();
            violations.push(Violation::TooManyDisrupted { host: host.map(str::to_owned), most, workloads });
        }
    };
    let disrupted = problem.decided().filter(|&workload| changes.is_disrupted(workload)).collect_vec();
    if let Some(most) = problem.limits.max_disrupted {
        check(None, most, &disrupted);
    }
    let mut by_host = vec![Vec::new(); cluster.hosts.len()];
    for &workload in &disrupted {
        let place = cluster.workloads[workload.index()].current.expect("it runs");
        if let Some(host) = cluster.gpus[place.gpu.index()].host {
            by_host[host.index()].push(workload);
        }
    }
    for (host, disrupted) in cluster.hosts.iter().zip(&by_host) {
        if let Some(most) = host.max_disrupted {
            check(Some(&host.name), most, disrupted);
        }
    }
}
