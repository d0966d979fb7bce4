//! What a placement looks like in numbers.

use super::{Cluster, Placement, WorkloadIndex};
use mig::{Board, GpuInstance, ProfileIndex, SlotMask};
use serde::Serialize;

/// The metrics of Turkkan et al., Table 3, of a final placement against the current one.
///
/// Slices of different boards are added up as they are. The tables of metrics of the models have the definitions.
#[expect(missing_docs, reason = "the models' tables of metrics define each field")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
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
