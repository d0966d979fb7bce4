//! Why nothing may obey the rules of a cluster.

use super::changes::changed_with;
use crate::instance::{Problem, Role};
use cluster::{HostIndex, Maintenance, PlacementRule, WorkloadIndex};
use ground::{counted, name_some};
use itertools::Itertools;
use std::collections::BTreeSet;

/// Why no placement obeys the rules of a cluster, once that is proved.
pub fn why_none(problem: &Problem) -> String {
    too_many_must_leave(problem).unwrap_or_else(|| {
        let place_all = problem.place_all.then(|| "`place_all: true`".to_owned());
        format!(
            "no placement obeys all rules together (proved): {}. Raise a limit, or ask for less of a group.",
            place_all.into_iter().chain(rules_in_force(problem)).join(", ")
        )
    })
}

/// The rules of the cluster beside the hardware, as the instance states them; that all must be placed is not among them.
pub fn rules_in_force(problem: &Problem) -> Vec<String> {
    let limits = &problem.limits;
    let limit = |name: &str, most: Option<u32>| most.map(|most| format!("`{name}: {most}`"));
    let settings = [
        limit("max_migrations", limits.max_migrations),
        limit("max_disrupted", limits.max_disrupted),
        problem.host_resources.then(|| "`host_resources: true`".to_owned()),
    ];
    let of_cluster = problem.cluster.placement_rules().map(|(rule, _, _, says)| match rule {
        PlacementRule::Groups => {
            let groups = problem.cluster.groups.iter().filter(|group| group.asks_anything());
            format!("rules for {}", name_some(&groups.map(|group| group.rules.name.as_str()).collect_vec()))
        }
        PlacementRule::Maintenance | PlacementRule::Nodes | PlacementRule::NodeBudgets => says,
    });
    settings.into_iter().flatten().chain(of_cluster).collect()
}

/// Who has to leave counts as moved and as disrupted wherever it goes.
fn too_many_must_leave(problem: &Problem) -> Option<String> {
    let cluster = &problem.cluster;
    let place = |workload: WorkloadIndex| cluster.workloads[workload.index()].current.expect("residents run");
    let must_leave = |&workload: &WorkloadIndex| {
        problem.is_resident_in(workload, Maintenance::Draining)
            || (problem.role(workload) == Role::Resident && !cluster.admits(workload, place(workload).gpu))
    };
    let leaving: BTreeSet<WorkloadIndex> =
        problem.decided().filter(must_leave).flat_map(|workload| changed_with(problem, workload)).collect();
    let exceeds = |most: Option<u32>, limit: &str, leaving: &[WorkloadIndex]| {
        let most = most.filter(|&most| leaving.len() > most as usize)?;
        let names =
            leaving.iter().map(|workload| cluster.workloads[workload.index()].name.as_str()).collect_vec();
        Some(format!(
            "{} must leave a GPU to be drained or a node that does not admit them, or count as one with those that must, but {limit} is \
             {most}: {}. Raise the limit, or let some of them stay.",
            counted(leaving.len(), "workload"),
            name_some(&names)
        ))
    };
    let all = leaving.iter().copied().collect_vec();
    let limits = &problem.limits;
    let of_instance = exceeds(limits.max_migrations, "`max_migrations`", &all)
        .or_else(|| exceeds(limits.max_disrupted, "`max_disrupted`", &all));
    of_instance.or_else(|| {
        cluster.hosts.iter().enumerate().find_map(|(number, host)| {
            let runs_here = |workload: &WorkloadIndex| {
                cluster.gpus[place(*workload).gpu.index()].host == Some(HostIndex::at(number))
            };
            let here = all.iter().copied().filter(runs_here).collect_vec();
            exceeds(host.max_disrupted, &format!("`max_disrupted` of host `{}`", host.name), &here)
        })
    })
}
