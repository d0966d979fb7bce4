//! The indexing step: start slots for the workloads of one GPU.

use super::instance::Problem;
use crate::cluster::{GpuIndex, Location, Placement, WorkloadIndex};
use crate::mig::{ArrangePriority, Counts, GpuInstance, SlotMask, arrange};

/// Gives each of `workloads` a start slot on `gpu` outside `occupied`, with the least waste, then with the fewest
/// changes of start, and records the places.
///
/// # Panics
/// When the workloads cannot be arranged there; the programs only promise what can.
pub(super) fn lay_out(
    problem: &Problem,
    gpu: GpuIndex,
    occupied: SlotMask,
    workloads: &[WorkloadIndex],
    placement: &mut Placement,
) {
    let board = problem.board(gpu);
    let profile_of = |workload: WorkloadIndex| {
        let request = problem.cluster.workloads[workload.index()].request;
        problem.cluster.requests[request.index()].on_board[problem.board_index(gpu).index()]
            .expect("programs send workloads only to boards that serve them")
    };
    let now_here = |workload: WorkloadIndex| -> Option<GpuInstance> {
        let here = problem.cluster.workloads[workload.index()].current.filter(|location| location.gpu == gpu);
        here.and_then(|location| problem.cluster.instance_at(workload, location))
    };
    let mut counts = Counts::zero(board.profiles().len());
    for &workload in workloads {
        counts = counts.add_one(profile_of(workload));
    }
    let preferred: Vec<GpuInstance> = workloads.iter().filter_map(|&workload| now_here(workload)).collect();
    let mut instances = arrange(board, occupied, &counts, &preferred, ArrangePriority::LeastWaste)
        .unwrap_or_else(|| panic!("{} cannot hold {counts:?} beside {occupied:?}", board.name()));
    let mut waiting = Vec::new();
    let mut put = |workload, instance: GpuInstance| {
        placement.set(workload, Some(Location { gpu, start: instance.start }));
    };
    for &workload in workloads {
        let kept = now_here(workload).and_then(|now| instances.iter().position(|&instance| instance == now));
        match kept {
            Some(position) => put(workload, instances.remove(position)),
            None => waiting.push(workload),
        }
    }
    for workload in waiting {
        let profile = profile_of(workload);
        let position = instances
            .iter()
            .position(|instance| instance.profile == profile)
            .expect("the arrangement holds as many instances of every profile as asked for");
        put(workload, instances.remove(position));
    }
}
