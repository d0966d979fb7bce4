//! Virtual machines that some best schedule does without.
//!
//! A schedule that accepts *i* and not an easier *j* may accept *j* in the place of *i*, with or without migrations. Of all best schedules take
//! one whose members are as early as possible in an order in which the easier ones come first: with *i* it accepts all that are easier. Where
//! those are too many for the fleet together with *i*, or one of them is not needed, *i* is not needed either.

use super::easier::{Kinds, Stay};
use super::relaxation::{Rule, rules};
use super::timeline::Timeline;
use cluster::{Cluster, Workload};
use ground::Amount;

/// Whether some host, if it were empty, could take a virtual machine.
pub fn usable(cluster: &Cluster) -> Vec<bool> {
    let covers = |capacity: Option<Amount>, needed| capacity.is_none_or(|capacity| needed <= capacity);
    let fits = |about: &Workload| {
        let on_board = &cluster.requests[about.request.index()].on_board;
        cluster.gpus.iter().any(|gpu| {
            let host = gpu.host.map(|host| &cluster.hosts[host.index()]);
            on_board[gpu.board.index()].is_some()
                && host.is_none_or(|host| covers(host.cpu, about.cpu) && covers(host.memory, about.memory))
        })
    };
    cluster.workloads.iter().map(fits).collect()
}

/// Those of the usable virtual machines among which a best schedule finds all that it accepts.
pub fn needed(cluster: &Cluster, timeline: &Timeline, usable: &[bool]) -> Vec<bool> {
    let rules = rules(cluster);
    let kinds = Kinds::of(cluster);
    let mut needed = usable.to_vec();
    // Fewer members have fewer peaks, at which more of them are alike.
    loop {
        let members: Vec<usize> = (0..needed.len()).filter(|&position| needed[position]).collect();
        let peaks = timeline.peaks_among(&members);
        let mut stays: Vec<Stay> = members.iter().map(|&member| Stay::of(member, timeline, &peaks)).collect();
        stays.sort_by_key(|stay| (stay.first, stay.position));
        let mut easiest_first: Vec<usize> = (0..stays.len()).collect();
        easiest_first.sort_by_key(|&number| (stays[number].peaks(), stays[number].position));
        for number in easiest_first {
            needed[stays[number].position] = is_needed(cluster, &rules, &kinds, &stays, number, &needed);
        }
        if members.iter().all(|&member| needed[member]) {
            return needed;
        }
    }
}

/// Whether a virtual machine may be accepted together with all that are easier. `stays` ascend by their first peaks.
fn is_needed(
    cluster: &Cluster,
    rules: &[Rule],
    kinds: &Kinds,
    stays: &[Stay],
    number: usize,
    needed: &[bool],
) -> bool {
    let stay = stays[number];
    let from = stays.partition_point(|other| other.first < stay.first);
    let to = stays.partition_point(|other| other.first <= stay.last);
    let mut changes = vec![0.0; rules.len() * (stay.peaks() + 1)];
    let mut add = |other: &Stay| {
        for (rule, changes) in rules.iter().zip(changes.chunks_mut(stay.peaks() + 1)) {
            // Whole numbers, of which sums are exact.
            let used = rule.used_by(cluster, other.position);
            changes[other.first - stay.first] += used;
            changes[other.last + 1 - stay.first] -= used;
        }
    };
    add(&stay);
    for other in stays[from..to].iter().filter(|other| kinds.is_easier(other, &stay)) {
        if !needed[other.position] {
            return false;
        }
        add(other);
    }
    rules.iter().zip(changes.chunks(stay.peaks() + 1)).all(|(rule, changes)| {
        let mut used = 0.0;
        changes.iter().all(|change| {
            used += change;
            used <= rule.capacity()
        })
    })
}
