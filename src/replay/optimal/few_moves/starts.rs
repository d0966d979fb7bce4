//! The starts on every GPU, of which as few as possible change.

use cluster::{GpuIndex, Location, Placement, WorkloadIndex};
use itertools::Itertools;
use mig::{ArrangePriority, Counts, GpuInstance, ProfileIndex, SlotMask, arrange};
use siavashi::Problem;

/// The profile of a workload on a GPU, if its board serves it.
pub fn profile(problem: &Problem, workload: WorkloadIndex, gpu: GpuIndex) -> Option<ProfileIndex> {
    let cluster = &problem.cluster;
    let request = cluster.workloads[workload.index()].request;
    cluster.requests[request.index()].on_board[cluster.gpus[gpu.index()].board.index()]
}

/// A placement with everything on the GPUs that are given, which hold so much, and how many that stay on their GPU begin elsewhere.
/// `None` if a GPU does not hold so much.
pub fn lay_out(
    problem: &Problem,
    gpu_of: &[Option<GpuIndex>],
    counts: &[Counts],
) -> Option<(usize, Placement)> {
    let cluster = &problem.cluster;
    let mut guests: Vec<Vec<WorkloadIndex>> = vec![Vec::new(); cluster.gpus.len()];
    for workload in cluster.workload_indices() {
        if let Some(gpu) = gpu_of[workload.index()] {
            guests[gpu.index()].push(workload);
        }
    }
    let mut placement = Placement::new(vec![None; cluster.workloads.len()]);
    let mut shifts = 0;
    for (gpu, guests) in cluster.gpu_indices().zip(&guests).filter(|(_, guests)| !guests.is_empty()) {
        shifts += lay_out_gpu(problem, gpu, guests, &counts[gpu.index()], &mut placement)?;
    }
    Some((shifts, placement))
}

/// Gives the guests of a GPU their starts; how many that stay get another one.
fn lay_out_gpu(
    problem: &Problem,
    gpu: GpuIndex,
    guests: &[WorkloadIndex],
    counts: &Counts,
    placement: &mut Placement,
) -> Option<usize> {
    let instance = |guest: WorkloadIndex| {
        let place = problem.current(guest).filter(|place| place.gpu == gpu)?;
        Some(GpuInstance { profile: profile(problem, guest, gpu)?, start: place.start })
    };
    let staying = guests.iter().filter_map(|&guest| instance(guest)).collect_vec();
    let board = problem.board(gpu);
    let mut free = arrange(board, SlotMask::EMPTY, counts, &staying, ArrangePriority::KeepFirst)?;
    let stays = |guest: &&WorkloadIndex| instance(**guest).is_some_and(|instance| free.contains(&instance));
    let (kept, others): (Vec<&WorkloadIndex>, Vec<&WorkloadIndex>) = guests.iter().partition(stays);
    for &guest in &kept {
        placement.set(*guest, problem.current(*guest));
        let own = instance(*guest)?;
        free.retain(|instance| *instance != own);
    }
    for guest in others {
        let profile = profile(problem, *guest, gpu)?;
        let at = free.iter().position(|instance| instance.profile == profile)?;
        placement.set(*guest, Some(Location { gpu, start: free.remove(at).start }));
    }
    Some(staying.len() - kept.len())
}
