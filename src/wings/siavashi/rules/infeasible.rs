//! Why no placement may obey all rules.

use super::changes::Changes;
use crate::instance::Problem;
use crate::section::Residents;
use cluster::{Cluster, Location, Placement, PlacementRule, WorkloadIndex};
use ground::{counted, name_some};
use itertools::Itertools;

/// Why no placement obeys all rules, given that this is proved: what is certain by itself, else which rules there are.
pub fn why_infeasible(problem: &Problem) -> String {
    homeless(problem).or_else(|| too_few_migrations(problem)).unwrap_or_else(|| all_rules(problem))
}

/// Running workloads that have to leave and to keep a place, and have none to go to.
fn homeless(problem: &Problem) -> Option<String> {
    let cluster = &problem.cluster;
    let serves = |workload: WorkloadIndex, gpu| {
        let request = &cluster.requests[cluster.workloads[workload.index()].request.index()];
        request.on_board[cluster.gpus[cluster::GpuIndex::index(gpu)].board.index()].is_some()
    };
    let names = cluster
        .workload_indices()
        .filter(|&workload| problem.must_stay(workload) && problem.must_leave(workload))
        .filter(|&workload| {
            let mut gpus = cluster.gpu_indices();
            !gpus.any(|gpu| serves(workload, gpu) && problem.may_start_on(workload, gpu))
        })
        .map(|workload| cluster.workloads[workload.index()].name.as_str())
        .collect_vec();
    (!names.is_empty()).then(|| {
        format!(
            "{} must leave and keep a place, but no GPU in service on a node that admits them has a board for their profile: {}. Add such \
             a GPU, or let residents lose their place (`residents: evictable`).",
            counted(names.len(), "running workload"),
            name_some(&names)
        )
    })
}

/// More workloads have to leave than may be moved or disrupted.
fn too_few_migrations(problem: &Problem) -> Option<String> {
    let cluster = &problem.cluster;
    let left = |workload| problem.current(workload).filter(|_: &Location| !problem.must_leave(workload));
    // Nobody else moves.
    let least = Changes::of(problem, &Placement::new(cluster.workload_indices().map(left).collect()));
    let count = |is_changed: &[bool]| is_changed.iter().filter(|is_changed| **is_changed).count();
    let limits = [
        ("max_migrations", problem.limits.max_migrations, count(&least.moved)),
        ("max_disrupted", problem.limits.max_disrupted, count(&least.disrupted)),
    ];
    limits.into_iter().find_map(|(name, most, least)| {
        let most = most.filter(|&most| least > most as usize)?;
        Some(format!(
            "{} must leave their GPUs, which are to be drained or on nodes that do not admit them, or count as one with such workloads, \
             but `{name}` is {most}. Raise it to {least} or more.",
            counted(least, "running workload")
        ))
    })
}

fn all_rules(problem: &Problem) -> String {
    let Cluster { gpus, workloads, groups, hosts, .. } = &*problem.cluster;
    let kinds = problem.cluster.placement_rules().map(|(rule, ..)| match rule {
        PlacementRule::Maintenance => {
            let out = gpus.iter().filter(|gpu| !gpu.maintenance.is_in_service()).count();
            format!("{} out of service", counted(out, "GPU"))
        }
        PlacementRule::Nodes => {
            let bound = workloads.iter().filter(|workload| workload.particulars().nodes.is_some()).count();
            format!("{} bound to nodes", counted(bound, "workload"))
        }
        PlacementRule::Groups => {
            let asking = groups.iter().filter(|group| group.asks_anything()).count();
            format!("the rules of {}", counted(asking, "group"))
        }
        PlacementRule::NodeBudgets => {
            let bounded = hosts.iter().filter(|host| host.max_disrupted.is_some()).count();
            format!("`max_disrupted` of {}", counted(bounded, "host"))
        }
    });
    let limit = |name: &str, most: Option<u32>| most.map(|most| format!("`{name}: {most}`"));
    let limits = [
        limit("max_migrations", problem.limits.max_migrations),
        limit("max_disrupted", problem.limits.max_disrupted),
    ];
    let keep = (problem.residents == Residents::Keep).then(|| "`residents: keep`".to_owned());
    let rules = kinds.chain(limits.into_iter().flatten()).chain(keep).join(", ");
    format!("no placement obeys all of these at once (proved): {rules}. Leave one of them out.")
}
