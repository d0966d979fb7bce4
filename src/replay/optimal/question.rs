//! The problem of one decision.

use super::super::operator::ReplayError;
use super::super::trace::Trace;
use super::machines::Machine;
use cluster::{Cluster, Gpu, GpuIndex, Host, HostIndex, Location, Placement, Workload, WorkloadIndex};
use fleet::{Fleet, Guest};
use siavashi::Problem;
use std::collections::BTreeMap;

/// The problem of one decision, with the way back to the fleet.
pub struct Question {
    /// The problem: the virtual machines that run, then those that arrive.
    pub problem: Problem,
    /// The guest of each workload.
    guests: Vec<Guest>,
    /// The GPU of the fleet for each GPU of the problem, in ascending order.
    gpus: Vec<GpuIndex>,
}

impl Question {
    /// The question which arrivals get a place, and where all are then, on these machines, which are in global order and hold
    /// all that run. `problem` makes a problem of a cluster.
    ///
    /// # Errors
    /// Those of `problem`.
    pub fn new<'m>(
        trace: &Trace,
        machines: impl Iterator<Item = &'m Machine>,
        fleet: &Fleet<'_>,
        arrivals: &[Guest],
        problem: impl FnOnce(Cluster) -> Result<Problem, ReplayError>,
    ) -> Result<Self, ReplayError> {
        let mut guests: Vec<Guest> = fleet.gpu_indices().flat_map(|gpu| fleet.guests(gpu)).copied().collect();
        guests.sort_unstable();
        guests.extend(arrivals);
        let whole = &trace.cluster;
        let mut cluster = Cluster {
            name: "decision".to_owned(),
            memory_unit: whole.memory_unit,
            boards: whole.boards.clone(),
            requests: whole.requests.clone(),
            ..Cluster::default()
        };
        let mut gpus = Vec::new();
        for machine in machines {
            let host = machine.host.map(|host| {
                let about = &whole.hosts[host.index()];
                cluster.hosts.push(Host { weight: None, ..about.clone() });
                HostIndex::at(cluster.hosts.len() - 1)
            });
            for &gpu in &machine.gpus {
                let about = &whole.gpus[gpu.index()];
                cluster.gpus.push(Gpu { host, ..about.clone() });
                gpus.push(gpu);
            }
        }
        let here = |gpu: GpuIndex| gpus.binary_search(&gpu).ok().map(GpuIndex::at);
        let workload = |guest: &Guest| Workload {
            current: fleet
                .location(*guest)
                .and_then(|place| Some(Location { gpu: here(place.gpu)?, ..place })),
            class: None,
            particulars: None,
            ..whole.workloads[WorkloadIndex(guest.0).index()].clone()
        };
        cluster.workloads = guests.iter().map(workload).collect();
        Ok(Question { problem: problem(cluster)?, guests, gpus })
    }

    /// The guests with their places in the fleet under a placement of the problem.
    pub fn in_fleet(&self, placement: &Placement) -> impl Iterator<Item = (Guest, Option<Location>)> {
        let place = |place: Location| Location { gpu: self.gpus[place.gpu.index()], start: place.start };
        let workloads = self.problem.cluster.workload_indices();
        let places: Vec<Option<Location>> =
            workloads.map(|workload| placement.of(workload).map(place)).collect();
        self.guests.iter().copied().zip(places)
    }

    /// The placement of the problem in which all that run stay, and these arrivals have these places in the fleet.
    pub fn placement(&self, accepted: &[(Guest, Location)]) -> Placement {
        let accepted: BTreeMap<Guest, Location> = accepted.iter().copied().collect();
        let mut placement = self.problem.cluster.current_placement();
        for (workload, guest) in self.problem.cluster.workload_indices().zip(&self.guests) {
            if let Some(place) = accepted.get(guest)
                && let Ok(gpu) = self.gpus.binary_search(&place.gpu)
            {
                placement.set(workload, Some(Location { gpu: GpuIndex::at(gpu), start: place.start }));
            }
        }
        placement
    }
}
