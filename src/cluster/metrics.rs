//! What a placement looks like in numbers.

use super::{Cluster, Placement, WorkloadIndex};
use crate::mig::{Board, GpuInstance, ProfileIndex, SlotMask};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The metrics of Turkkan et al., Table 3, of a final placement against the current one.
///
/// Slices of different boards are added up as they are. [`METRICS`] has the definitions.
#[expect(missing_docs, reason = "METRICS defines each field")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    pub gpus: u64,
    pub memory_waste: u64,
    pub compute_waste: u64,
    pub availability: i64,
    pub migration_size: u64,
    pub pending_size: u64,
    pub sequential_migrations: u64,
    pub memory_utilisation: f64,
    pub compute_utilisation: f64,
}

/// A metric in words.
pub struct Metric {
    /// Its name in documents.
    pub name: &'static str,
    /// Its name for readers.
    pub title: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Whether more is better.
    pub more_is_better: bool,
    /// What exactly it is.
    pub definition: &'static str,
    /// Its value.
    pub value: fn(&Metrics) -> f64,
}

/// All metrics, in the order of the paper's table.
pub const METRICS: &[Metric] = &[
    Metric {
        name: "gpus",
        title: "GPUs",
        unit: "GPUs",
        more_is_better: false,
        definition: "GPUs with at least one workload in the final placement",
        value: |metrics| metrics.gpus as f64,
    },
    Metric {
        name: "memory_waste",
        title: "memory waste",
        unit: "memory slices",
        more_is_better: false,
        definition: "extra memory slices that no instance can reach any more, as an instance holds the last compute slice \
                     without them (on an A100: a one-slice profile at start 6)",
        value: |metrics| metrics.memory_waste as f64,
    },
    Metric {
        name: "compute_waste",
        title: "compute waste",
        unit: "compute slices",
        more_is_better: false,
        definition: "compute slices that instances block without having them (on an A100: 3g at start 0, 1g of two slices \
                     anywhere but at start 6)",
        value: |metrics| metrics.compute_waste as f64,
    },
    Metric {
        name: "availability",
        title: "availability",
        unit: "compute slices",
        more_is_better: true,
        definition: "compute slices of the whole cluster that no instance blocks, less those that the waiting workloads \
                     would block; negative when more waits than is left",
        value: |metrics| metrics.availability as f64,
    },
    Metric {
        name: "migration_size",
        title: "migration size",
        unit: "memory slices",
        more_is_better: false,
        definition: "memory slices of running workloads that move to another GPU",
        value: |metrics| metrics.migration_size as f64,
    },
    Metric {
        name: "pending_size",
        title: "pending size",
        unit: "memory slices",
        more_is_better: false,
        definition: "memory slices of the workloads that are left waiting",
        value: |metrics| metrics.pending_size as f64,
    },
    Metric {
        name: "sequential_migrations",
        title: "sequential migrations",
        unit: "workloads",
        more_is_better: false,
        definition: "running workloads that move to slices of another GPU which some workload occupies now, so that they \
                     must wait for it to leave",
        value: |metrics| metrics.sequential_migrations as f64,
    },
    Metric {
        name: "memory_utilisation",
        title: "memory utilisation",
        unit: "ratio",
        more_is_better: true,
        definition: "memory slices of the placed workloads over those of the GPUs in use; 0 without any",
        value: |metrics| metrics.memory_utilisation,
    },
    Metric {
        name: "compute_utilisation",
        title: "compute utilisation",
        unit: "ratio",
        more_is_better: true,
        definition: "compute slices of the placed workloads over those of the GPUs in use; 0 without any",
        value: |metrics| metrics.compute_utilisation,
    },
];

impl Metrics {
    /// Counts a legal placement; `waiting` are the workloads that want a place and have none.
    pub fn of(
        cluster: &Cluster,
        placement: &Placement,
        waiting: impl Iterator<Item = WorkloadIndex>,
    ) -> Metrics {
        let occupied_now = occupied_now(cluster);
        let mut metrics = Metrics::default();
        let mut used = vec![false; cluster.gpus.len()];
        let (mut memory, mut compute, mut blocked) = (0, 0, 0);
        for workload in cluster.workload_indices() {
            let Some(place) = placement.of(workload) else { continue };
            let Some(instance) = cluster.instance_at(workload, place) else { continue };
            let board = cluster.board_of(place.gpu);
            let profile = board.profile(instance.profile);
            used[place.gpu.index()] = true;
            metrics.memory_waste += u64::from(board.memory_waste(instance));
            metrics.compute_waste += u64::from(board.compute_waste(instance));
            memory += profile.size;
            compute += profile.compute;
            blocked += i64::from(board.blocked_compute(instance));
            let current = cluster.workloads[workload.index()].current;
            if current.is_some_and(|current| current.gpu != place.gpu) {
                metrics.migration_size += u64::from(profile.size);
                let taken = board.footprint(instance).intersects(occupied_now[place.gpu.index()]);
                metrics.sequential_migrations += u64::from(taken);
            }
        }
        let (mut all_memory, mut all_compute) = (0, 0);
        for gpu in cluster.gpu_indices() {
            let board = cluster.board_of(gpu);
            metrics.availability += i64::from(board.compute());
            if used[gpu.index()] {
                metrics.gpus += 1;
                all_memory += board.slots();
                all_compute += board.compute();
            }
        }
        metrics.availability -= blocked;
        for workload in waiting {
            let Some((board, profile)) = wanted(cluster, workload) else { continue };
            metrics.pending_size += u64::from(board.profile(profile).size);
            metrics.availability -= i64::from(most_blocked(board, profile));
        }
        metrics.memory_utilisation = share(memory, all_memory);
        metrics.compute_utilisation = share(compute, all_compute);
        metrics
    }
}

/// Slots that are occupied at first, GPU by GPU.
fn occupied_now(cluster: &Cluster) -> Vec<SlotMask> {
    let mut occupied = vec![SlotMask::EMPTY; cluster.gpus.len()];
    for workload in cluster.workload_indices() {
        let Some(place) = cluster.workloads[workload.index()].current else { continue };
        let Some(instance) = cluster.instance_at(workload, place) else { continue };
        let mask = &mut occupied[place.gpu.index()];
        *mask = mask.union(cluster.board_of(place.gpu).footprint(instance));
    }
    occupied
}

/// The profile that a workload asks for, on the board where it runs or else on the first that serves it.
fn wanted(cluster: &Cluster, workload: WorkloadIndex) -> Option<(&Board, ProfileIndex)> {
    let board = cluster.reference_board(workload)?;
    let on_board = &cluster.requests[cluster.workloads[workload.index()].request.index()].on_board;
    Some((&cluster.boards[board.index()], on_board[board.index()]?))
}

/// Compute slices that an instance of the profile blocks, wherever that is most: the paper's "GPU slices".
fn most_blocked(board: &Board, profile: ProfileIndex) -> u32 {
    let starts = board.profile(profile).starts.iter();
    starts.map(|&start| board.blocked_compute(GpuInstance { profile, start })).max().unwrap_or_default()
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}
