//! The policies on one interval of an instance.

use crate::instance::Problem;
use cluster::{Placement, WorkloadIndex};
use fleet::{Fleet, Guest, Policy, Request, Supply, admit};
use kit::{Heuristic, takes_none};

/// A heuristic that decides request by request.
pub trait Online: Heuristic<Problem> {
    /// The policy at its beginning, on a fleet that may have guests already.
    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy>;

    /// As [`Heuristic::with`].
    ///
    /// # Errors
    /// When it has no such parameter, or the parameter no such value; the message says which there are.
    fn adjusted(&self, _values: &[(&str, &str)]) -> Result<Box<dyn Online>, String> {
        Err(takes_none(self.name()))
    }

    /// Whether it does anything at a consolidation interval.
    fn consolidates(&self) -> bool {
        false
    }
}

/// Proposes a placement for one interval.
///
/// Residents stay where they are, save for the migrations of the policy itself. Newcomers arrive one after the other in
/// the instance's order. Defragmentation runs once the results of the interval are known, if any newcomer was rejected,
/// and consolidation after that; rejected newcomers are not tried again, as Algorithm 4 prepares for those that come next.
///
/// An instance has no time. It is counted in requests, of which the residents, in the instance's order, were the first; in
/// the same order they were placed on their GPUs.
pub fn propose(problem: &Problem, heuristic: &dyn Online) -> Placement {
    let cluster = &problem.cluster;
    let hosts = cluster.hosts.iter().map(|host| Supply { cpu: host.cpu, memory: host.memory });
    let mut fleet = Fleet::new(&cluster.boards, &cluster.gpus, hosts.collect());
    let (residents, newcomers): (Vec<WorkloadIndex>, Vec<WorkloadIndex>) =
        cluster.workload_indices().partition(|&workload| problem.current(workload).is_some());
    for &resident in &residents {
        let location = problem.current(resident).expect("residents have a place");
        fleet.place(guest(resident), request(problem, resident), location);
    }
    let mut policy = heuristic.begin(&fleet);
    let mut clock = 0..;
    for (&resident, time) in residents.iter().zip(&mut clock) {
        policy.observe(request(problem, resident), time);
    }
    let mut rejected = false;
    for (newcomer, time) in newcomers.into_iter().zip(clock) {
        let request = request(problem, newcomer);
        rejected |= admit(policy.as_mut(), &mut fleet, guest(newcomer), request, time).is_none();
    }
    if rejected {
        policy.defragment(&mut fleet);
    }
    policy.consolidate(&mut fleet);
    Placement::new(cluster.workload_indices().map(|workload| fleet.location(guest(workload))).collect())
}

fn guest(workload: WorkloadIndex) -> Guest {
    Guest(workload.0)
}

fn request(problem: &Problem, workload: WorkloadIndex) -> Request<'_> {
    let about = &problem.cluster.workloads[workload.index()];
    Request {
        on_board: &problem.cluster.requests[about.request.index()].on_board,
        cpu: about.cpu,
        memory: about.memory,
        movable: !problem.is_pinned(workload),
    }
}
