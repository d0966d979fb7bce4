//! The loops that all heuristics share: place workloads one by one, vacate GPUs one by one.

use super::room::{Candidate, Room};
use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use cluster::{GpuIndex, Location, Maintenance, WorkloadIndex};
use mig::GpuInstance;

/// How a method chooses a place for one workload.
pub trait Rule {
    /// The order in which workloads are placed.
    fn order(&self, problem: &Problem, workloads: &mut [WorkloadIndex]);

    /// The place for one workload among the open GPUs.
    fn choose(&self, room: &Room<'_>, workload: WorkloadIndex) -> Option<Candidate>;
}

/// Workloads that have no place: newcomers that the use case considers, and those that must leave where they were.
pub fn waiting(problem: &Problem, room: &Room<'_>) -> Vec<WorkloadIndex> {
    problem.decided().filter(|&workload| room.placement().of(workload).is_none()).collect()
}

/// Running workloads that are laid out anew: all that may move but those that a cordoned GPU may keep.
pub fn residents(problem: &Problem) -> Vec<WorkloadIndex> {
    let lifted = |&workload: &WorkloadIndex| {
        problem.role(workload) == Role::Resident && !problem.is_resident_in(workload, Maintenance::Cordoned)
    };
    problem.cluster.workload_indices().filter(lifted).collect()
}

/// GPUs that the use case considers and on which workloads may start.
pub fn considered(problem: &Problem) -> impl Iterator<Item = GpuIndex> + '_ {
    let takes_workloads =
        |gpu| problem.gpu_role(gpu) != GpuRole::NotConsidered && problem.maintenance(gpu).is_in_service();
    problem.cluster.gpu_indices().filter(move |&gpu| takes_workloads(gpu))
}

/// Places workloads one by one on the open GPUs; those without a place are returned.
pub fn place(
    room: &mut Room<'_>,
    problem: &Problem,
    rule: &dyn Rule,
    mut workloads: Vec<WorkloadIndex>,
) -> Vec<WorkloadIndex> {
    rule.order(problem, &mut workloads);
    workloads.retain(|&workload| match rule.choose(room, workload) {
        Some(candidate) => {
            room.put(workload, candidate.gpu, candidate.instance);
            false
        }
        None => true,
    });
    workloads
}

/// What runs stays where it is, and what has no place gets one on any GPU that takes workloads.
pub fn as_it_is<'p>(problem: &'p Problem, rule: &dyn Rule) -> Room<'p> {
    let mut room = Room::with_residents(problem);
    considered(problem).for_each(|gpu| room.open(gpu));
    let waiting = waiting(problem, &room);
    place(&mut room, problem, rule, waiting);
    room
}

/// Compaction (section 4.2): from the least utilised GPU on, moves everything on a GPU to the other open ones where all of
/// it finds a place and no more moves than may, and closes the GPU. Returns how many GPUs were vacated.
///
/// A vacated GPU is not used again and a GPU that stays is never vacated in part, so that no slot is needed twice.
pub fn vacate(room: &mut Room<'_>, problem: &Problem, rule: &dyn Rule) -> usize {
    let may_leave = |room: &Room<'_>, gpu: GpuIndex| {
        let on_gpu = room.workloads_on(gpu);
        !on_gpu.is_empty() && on_gpu.iter().all(|&workload| problem.role(workload).is_decided())
    };
    let mut gpus: Vec<GpuIndex> =
        considered(problem).filter(|&gpu| room.is_open(gpu) && may_leave(room, gpu)).collect();
    gpus.sort_by_key(|&gpu| (room.utilisation(gpu), room.rank(gpu)));
    let mut vacated = 0;
    for gpu in gpus {
        vacated += usize::from(try_to_vacate(room, problem, rule, gpu));
    }
    vacated
}

fn try_to_vacate(room: &mut Room<'_>, problem: &Problem, rule: &dyn Rule, gpu: GpuIndex) -> bool {
    let leaving: Vec<(WorkloadIndex, GpuInstance)> = room
        .workloads_on(gpu)
        .iter()
        .map(|&workload| {
            let place: Location = room.placement().of(workload).expect("it is on this GPU");
            (workload, problem.cluster.instance_at(workload, place).expect("it was placed"))
        })
        .collect();
    room.close(gpu);
    for &(workload, _) in &leaving {
        room.lift(workload);
    }
    let mut workloads: Vec<WorkloadIndex> = leaving.iter().map(|&(workload, _)| workload).collect();
    workloads.sort_unstable();
    if place(room, problem, rule, workloads).is_empty() && room.is_within_limits() {
        return true;
    }
    for &(workload, instance) in &leaving {
        if room.placement().of(workload).is_some() {
            room.lift(workload);
        }
        room.put(workload, gpu, instance);
    }
    room.open(gpu);
    false
}
