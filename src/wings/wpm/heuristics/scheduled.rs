//! The schedulers that people run, request by request.

use super::deploy::{considered, waiting};
use super::room::Room;
use crate::instance::Problem;
use cluster::{Gpu, Location, Maintenance, Placement, WorkloadIndex};
use fleet::{Fleet, Guest, Request, Supply, admit};
use ground::Amount;
use kit::{Heuristic, ParameterEntry};
use schedulers::Scheduler;

/// A scheduler on an instance.
///
/// What runs stays where it is, in every use case: none of them moves anything by itself. Workloads without a place, those included that
/// must leave a GPU, arrive one after the other in the order of the instance.
pub struct Scheduled<S>(pub S);

impl<S: Scheduler> Heuristic<Problem> for Scheduled<S> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn summary(&self) -> &'static str {
        self.0.summary()
    }

    fn reference(&self) -> &'static str {
        self.0.reference()
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        let mut room = Room::with_residents(problem);
        let mut fleet = fleet_of(problem);
        for (workload, place) in running(problem) {
            let stays = room.placement().of(workload).is_some();
            let request = if stays { request(problem, workload) } else { slots_alone(problem, workload) };
            fleet.place(Guest(workload.0), request, place);
        }
        let mut policy = self.0.begin(&fleet);
        let waiting = waiting(problem, &room);
        // What has left is still there as a guest: the printed reading does not use slots again that were occupied at first.
        let arrivals = problem.cluster.workloads.len() as u32..;
        for ((workload, guest), time) in waiting.into_iter().zip(arrivals).zip(0..) {
            let request = request(problem, workload);
            if let Some(place) = admit(policy.as_mut(), &mut fleet, Guest(guest), request, time) {
                let instance = problem.cluster.instance_at(workload, place).expect("the board serves it");
                room.put(workload, place.gpu, instance);
            }
        }
        room.into_placement()
    }

    fn parameters(&self) -> Vec<ParameterEntry> {
        self.0.entries()
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem>>, String> {
        Ok(Box::new(Scheduled(self.0.adjusted(values)?)))
    }
}

/// The GPUs that the use case considers, empty; hosts limit what they carry only where the problem says so.
fn fleet_of(problem: &Problem) -> Fleet<'_> {
    let cluster = &problem.cluster;
    let mut gpus: Vec<Gpu> = cluster.gpus.clone();
    gpus.iter_mut().for_each(|gpu| gpu.maintenance = Maintenance::Cordoned);
    considered(problem).for_each(|gpu| gpus[gpu.index()].maintenance = Maintenance::InService);
    let supply = |limited: bool| {
        cluster.hosts.iter().map(move |host| match limited {
            true => Supply { cpu: host.cpu, memory: host.memory },
            false => Supply { cpu: None, memory: None },
        })
    };
    Fleet::new(&cluster.boards, &gpus, supply(problem.host_resources).collect())
}

/// What runs, and where.
fn running(problem: &Problem) -> impl Iterator<Item = (WorkloadIndex, Location)> + '_ {
    let workloads = problem.cluster.workload_indices();
    workloads.filter_map(|workload| Some((workload, problem.cluster.workloads[workload.index()].current?)))
}

fn request(problem: &Problem, workload: WorkloadIndex) -> Request<'_> {
    let ruled = Some((&*problem.cluster, workload));
    Request { movable: false, ruled, ..Request::of(&problem.cluster, workload) }
}

/// The slots of a workload that has left, without its share of the host and its rules.
fn slots_alone(problem: &Problem, workload: WorkloadIndex) -> Request<'_> {
    let nothing = Amount::ZERO;
    Request { cpu: nothing, memory: nothing, movable: false, ..Request::of(&problem.cluster, workload) }
}
