//! First fit: every workload goes to the first GPU and the first start slot that take it.

use super::super::instance::Problem;
use super::super::roles::{GpuRole, Role};
use super::super::settings::UseCase;
use super::Heuristic;
use crate::cluster::{GpuIndex, Location, Placement, WorkloadIndex};
use crate::mig::{GpuInstance, Remaining, SlotMask};

/// First fit in the order of GPU and workload, starts ascending.
///
/// Residents stay where they are. In reconfiguration, where every GPU must be laid out anew, they are lifted and placed
/// on free GPUs first and on their emptied ones last.
pub struct FirstFit;

impl Heuristic for FirstFit {
    fn name(&self) -> &'static str {
        "first-fit"
    }

    fn summary(&self) -> &'static str {
        "residents stay; every other workload takes the first free start of the first GPU that has one"
    }

    fn reference(&self) -> &'static str {
        "Turkkan et al., section 5.1 (baseline)"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        let mut room = Room::with_pinned_only(problem);
        let mut placement = Placement::new(vec![None; problem.cluster.workloads.len()]);
        let lifts_residents = problem.use_case == UseCase::Reconfiguration;
        let mut waiting = Vec::new();
        for workload in problem.cluster.workload_indices() {
            let current = problem.cluster.workloads[workload.index()].current;
            match problem.role(workload) {
                Role::Pinned => placement.set(workload, current),
                Role::Resident if !lifts_residents => {
                    placement.set(workload, current);
                    let instance = problem.current_instance(workload).expect("residents run");
                    room.take(problem, current.expect("residents run").gpu, instance);
                }
                Role::Resident | Role::Newcomer => waiting.push(workload),
                Role::NotConsidered => {}
            }
        }
        let order = gpu_order(problem);
        // Room only shrinks: a GPU that cannot take a request once never can again.
        let mut tried = vec![0; problem.cluster.requests.len()];
        for workload in waiting {
            let position = &mut tried[problem.cluster.workloads[workload.index()].request.index()];
            while let Some(&gpu) = order.get(*position) {
                if let Some(instance) = room.first_start(problem, gpu, workload) {
                    room.take(problem, gpu, instance);
                    placement.set(workload, Some(Location { gpu, start: instance.start }));
                    break;
                }
                *position += 1;
            }
        }
        placement
    }
}

/// GPUs in the order in which they are tried.
fn gpu_order(problem: &Problem) -> Vec<GpuIndex> {
    let mut order: Vec<GpuIndex> = problem
        .cluster
        .gpu_indices()
        .filter(|&gpu| problem.gpu_role(gpu) != GpuRole::NotConsidered)
        .collect();
    if problem.use_case == UseCase::Reconfiguration {
        order.sort_by_key(|&gpu| problem.gpu_role(gpu) != GpuRole::Free);
    }
    order
}

/// What is still free on every GPU.
struct Room {
    occupied: Vec<SlotMask>,
    remaining: Vec<Remaining>,
}

impl Room {
    /// Pinned instances take their slots; in reconfiguration the slots of movable neighbours of a pinned one are not
    /// reused, as such a GPU cannot be repartitioned.
    fn with_pinned_only(problem: &Problem) -> Self {
        let gpus = problem.cluster.gpu_indices();
        let mut room = Room {
            occupied: vec![SlotMask::EMPTY; problem.cluster.gpus.len()],
            remaining: gpus.map(|gpu| problem.board(gpu).full_limits()).collect(),
        };
        for workload in problem.cluster.workload_indices() {
            let Some(instance) = problem.current_instance(workload) else { continue };
            let gpu = problem.cluster.workloads[workload.index()].current.expect("runs").gpu;
            if problem.role(workload) == Role::Pinned {
                room.take(problem, gpu, instance);
            } else if problem.gpu_role(gpu) == GpuRole::Pinned {
                let mask = &mut room.occupied[gpu.index()];
                *mask = mask.union(problem.board(gpu).footprint(instance));
            }
        }
        room
    }

    fn first_start(&self, problem: &Problem, gpu: GpuIndex, workload: WorkloadIndex) -> Option<GpuInstance> {
        let board = problem.board(gpu);
        let request = problem.cluster.workloads[workload.index()].request;
        let profile = problem.cluster.requests[request.index()].on_board[problem.board_index(gpu).index()]?;
        self.remaining[gpu.index()].take(board, profile)?;
        let mut starts = board.profile(profile).starts.clone();
        starts.sort_unstable();
        starts
            .into_iter()
            .map(|start| GpuInstance { profile, start })
            .find(|&instance| !board.footprint(instance).intersects(self.occupied[gpu.index()]))
    }

    fn take(&mut self, problem: &Problem, gpu: GpuIndex, instance: GpuInstance) {
        let board = problem.board(gpu);
        let mask = &mut self.occupied[gpu.index()];
        *mask = mask.union(board.footprint(instance));
        let remaining = &mut self.remaining[gpu.index()];
        *remaining = remaining.take(board, instance.profile).expect("checked before");
    }
}
