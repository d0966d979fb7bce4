//! Workloads that count as one: the instances of a pod that has several.

use crate::class::Class;
use cluster::{Cluster, GroupIndex, Handover, Placement, WorkloadIndex};

/// A group whose workloads move in one round, straight to their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsOne {
    /// The group.
    pub group: GroupIndex,
    /// The classes of its workloads.
    pub classes: Vec<usize>,
    /// Those that stay in their places while others move, so that all of them restart.
    pub stay: Vec<WorkloadIndex>,
}

/// The groups that move. Where a part of one moves, no second copy of the whole can start, as the rest of it holds its places: it restarts.
///
/// # Errors
/// When the target has places for a part of a group alone.
pub fn moving(
    cluster: &Cluster,
    target: &Placement,
    classes: &mut [Class],
    class_of: &[Option<usize>],
) -> Result<Vec<AsOne>, String> {
    let mut moving = Vec::new();
    for (number, group) in cluster.groups.iter().enumerate().filter(|(_, group)| group.rules.as_one) {
        let is_decided = |workload: &&WorkloadIndex| class_of[workload.index()].is_some();
        let name = |workload: WorkloadIndex| &cluster.workloads[workload.index()].name;
        let (placed, others): (Vec<WorkloadIndex>, Vec<WorkloadIndex>) =
            group.members.iter().filter(is_decided).partition(|workload| target.of(**workload).is_some());
        if let (Some(&one), Some(&other)) = (placed.first(), others.first()) {
            return Err(format!(
                "the target has a place for `{}` and none for `{}`, which count as one by group `{}`. Give a target with places for all of \
                 the group, or for none.",
                name(one),
                name(other),
                group.rules.name
            ));
        }
        let mut own: Vec<usize> =
            group.members.iter().filter_map(|workload| class_of[workload.index()]).collect();
        own.sort_unstable();
        own.dedup();
        let is_moved = |&class: &usize| classes[class].present != classes[class].target;
        if !own.iter().any(is_moved) {
            continue;
        }
        let stays = |workload: &WorkloadIndex| {
            let current = cluster.workloads[workload.index()].current;
            current.is_some() && current == target.of(*workload)
        };
        let stay: Vec<WorkloadIndex> = placed.into_iter().filter(stays).collect();
        if !stay.is_empty() {
            own.iter().for_each(|&class| classes[class].handover = Handover::Restart);
        }
        moving.push(AsOne { group: GroupIndex::at(number), classes: own, stay });
    }
    Ok(moving)
}
