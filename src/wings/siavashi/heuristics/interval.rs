//! The policies on one interval of an instance.

use crate::instance::Problem;
use crate::rules::verify;
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
///
/// Residents that the rules of the cluster let stay no longer arrive before the newcomers. Of groups that count as one, newcomers are
/// accepted all or not at all, and what the policy moves is taken back where it breaks a rule.
pub fn propose(problem: &Problem, heuristic: &dyn Online) -> Placement {
    let cluster = &problem.cluster;
    let hosts = cluster.hosts.iter().map(|host| Supply { cpu: host.cpu, memory: host.memory });
    let mut fleet = Fleet::new(&cluster.boards, &cluster.gpus, hosts.collect());
    let (mut residents, newcomers): (Vec<WorkloadIndex>, Vec<WorkloadIndex>) =
        cluster.workload_indices().partition(|&workload| problem.current(workload).is_some());
    // Those that a group may send away come after those beside which they cannot stay.
    let may_be_sent_away = |workload: WorkloadIndex| {
        problem.is_resident(workload) && cluster.groups_of(workload).next().is_some()
    };
    residents.sort_by_key(|&workload| may_be_sent_away(workload));
    let (mut staying, mut arriving) = (Vec::new(), Vec::new());
    for resident in residents {
        let location = problem.current(resident).expect("residents have a place");
        let request = request(problem, resident);
        let stays = problem.is_pinned(resident)
            || (!problem.must_leave(resident) && fleet.groups_admit(location.gpu, request));
        match stays {
            true => {
                fleet.place(guest(resident), request, location);
                staying.push(resident);
            }
            false => arriving.push(resident),
        }
    }
    let mut policy = heuristic.begin(&fleet);
    let mut clock = 0..;
    for (&resident, time) in staying.iter().zip(&mut clock) {
        policy.observe(request(problem, resident), time);
    }
    arriving.extend(newcomers);
    let mut rejected = false;
    for (workload, time) in arriving.into_iter().zip(clock) {
        let request = request(problem, workload);
        rejected |= admit(policy.as_mut(), &mut fleet, guest(workload), request, time).is_none();
    }
    take_back_parts(problem, &mut fleet);
    let mut proposal = placement(problem, &fleet);
    if rejected {
        policy.defragment(&mut fleet);
        proposal = better(problem, proposal, &fleet);
    }
    policy.consolidate(&mut fleet);
    better(problem, proposal, &fleet)
}

fn placement(problem: &Problem, fleet: &Fleet<'_>) -> Placement {
    let workloads = problem.cluster.workload_indices();
    Placement::new(workloads.map(|workload| fleet.location(guest(workload))).collect())
}

/// What the fleet has come to, unless that breaks a rule of the cluster.
fn better(problem: &Problem, before: Placement, fleet: &Fleet<'_>) -> Placement {
    let after = placement(problem, fleet);
    let breaks_rule = problem.has_rules() && !verify(problem, &after).violations.is_empty();
    if breaks_rule { before } else { after }
}

/// Takes back the newcomers of groups that count as one where not all members have a place.
fn take_back_parts(problem: &Problem, fleet: &mut Fleet<'_>) {
    let mut is_done = false;
    while !is_done {
        is_done = true;
        for group in problem.cluster.groups.iter().filter(|group| group.rules.as_one) {
            let decided = || group.members.iter().filter(|member| problem.part(**member).is_decided());
            if decided().all(|&member| fleet.location(guest(member)).is_some()) {
                continue;
            }
            for &newcomer in decided().filter(|member| problem.current(**member).is_none()) {
                if fleet.location(guest(newcomer)).is_some() {
                    fleet.remove(guest(newcomer));
                    is_done = false;
                }
            }
        }
    }
}

fn guest(workload: WorkloadIndex) -> Guest {
    Guest(workload.0)
}

fn request(problem: &Problem, workload: WorkloadIndex) -> Request<'_> {
    Request {
        movable: !problem.is_pinned(workload),
        ruled: problem.has_rules().then_some((&*problem.cluster, workload)),
        ..Request::of(&problem.cluster, workload)
    }
}
