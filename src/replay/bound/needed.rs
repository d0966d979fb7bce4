//! Virtual machines that some best schedule does without.
//!
//! Let *j* be *easier* than *i* if it asks for no more, wherever *i* may be, and is there at no peak at which *i* is not. A schedule that
//! accepts *i* and not *j* may accept *j* in the place of *i*, with or without migrations. Of all best schedules take one whose members
//! are as early as possible in an order in which the easier ones come first: with *i* it accepts all that are easier. Where those are
//! too many for the fleet together with *i*, or one of them is not needed, *i* is not needed either.

use super::relaxation::{Rule, rules};
use super::timeline::Timeline;
use cluster::{Cluster, RequestIndex, Workload};
use ground::Amount;
use mig::{GpuInstance, ProfileIndex};
use std::collections::BTreeMap;

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
        let mut stays: Vec<Stay> =
            members.iter().map(|&member| Stay::new(member, timeline, &peaks)).collect();
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

/// When a virtual machine is there.
#[derive(Clone, Copy)]
struct Stay {
    /// Position in the trace.
    position: usize,
    /// The numbers of its first and its last peak.
    first: usize,
    last: usize,
}

impl Stay {
    fn new(position: usize, timeline: &Timeline, peaks: &[usize]) -> Self {
        let first = peaks.partition_point(|&peak| peak < position);
        Stay { position, first, last: peaks.partition_point(|&peak| peak < timeline.end(position)) - 1 }
    }

    fn peaks(&self) -> usize {
        self.last - self.first + 1
    }

    /// Whether it is there only while another is.
    fn is_within(&self, other: &Stay) -> bool {
        other.first <= self.first && self.last <= other.last
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

/// Virtual machines by what they ask for.
struct Kinds {
    /// By position in the trace.
    of: Vec<usize>,
    /// For two kinds, whether the first asks for no more than the second.
    asks_no_more: Vec<Vec<bool>>,
}

impl Kinds {
    fn of(cluster: &Cluster) -> Self {
        let mut numbers: BTreeMap<(RequestIndex, Amount, Amount), usize> = BTreeMap::new();
        let workloads = cluster.workloads.iter().map(|about| (about.request, about.cpu, about.memory));
        let of = workloads
            .map(|kind| {
                let next = numbers.len();
                *numbers.entry(kind).or_insert(next)
            })
            .collect();
        let mut asks_no_more = vec![vec![false; numbers.len()]; numbers.len()];
        for (&(one, cpu, memory), &number) in &numbers {
            for (&(other, other_cpu, other_memory), &other_number) in &numbers {
                asks_no_more[number][other_number] =
                    cpu <= other_cpu && memory <= other_memory && fits_inside(cluster, one, other);
            }
        }
        Kinds { of, asks_no_more }
    }

    /// Whether one virtual machine is easier than another; of two that are as easy as each other, the one that arrived first.
    fn is_easier(&self, one: &Stay, other: &Stay) -> bool {
        let no_harder = |one: &Stay, other: &Stay| {
            one.is_within(other) && self.asks_no_more[self.of[one.position]][self.of[other.position]]
        };
        no_harder(one, other) && (one.position < other.position || !no_harder(other, one))
    }
}

/// Whether on every board, wherever an instance for one request may be, one for another fits inside its slots and uses no more of
/// any limit.
fn fits_inside(cluster: &Cluster, inner: RequestIndex, outer: RequestIndex) -> bool {
    let (inner, outer) = (&cluster.requests[inner.index()], &cluster.requests[outer.index()]);
    cluster.boards.iter().zip(inner.on_board.iter().zip(&outer.on_board)).all(|(board, (inner, outer))| {
        let Some(outer) = *outer else { return true };
        let Some(inner) = *inner else { return false };
        let footprints = |profile: ProfileIndex| {
            let starts = board.profile(profile).starts.iter();
            starts.map(move |&start| board.footprint(GpuInstance { profile, start }))
        };
        let holds_one =
            |slots| footprints(inner).any(|inside: mig::SlotMask| inside.without(slots).is_empty());
        footprints(outer).all(holds_one)
            && board.limits().iter().all(|limit| limit.usage_of(inner) <= limit.usage_of(outer))
    })
}
