//! The virtual machines of a trace as guests of a fleet.

use super::trace::Trace;
use cluster::WorkloadIndex;
use fleet::{Fleet, Guest, Request, Supply};

impl Trace {
    /// The fleet without any guest.
    pub fn fleet(&self) -> Fleet<'_> {
        let hosts = self.cluster.hosts.iter().map(|host| Supply { cpu: host.cpu, memory: host.memory });
        Fleet::new(&self.cluster.boards, &self.cluster.gpus, hosts.collect())
    }

    /// What a virtual machine asks for.
    pub fn request(&self, guest: Guest) -> Request<'_> {
        let workload = &self.cluster.workloads[guest.0 as usize];
        Request {
            on_board: &self.cluster.requests[workload.request.index()].on_board,
            cpu: workload.cpu,
            memory: workload.memory,
            movable: workload.movable,
            ruled: None,
        }
    }

    /// All virtual machines, in the order of their arrival.
    pub fn guests(&self) -> impl Iterator<Item = Guest> + use<> {
        self.cluster.workload_indices().map(|WorkloadIndex(number)| Guest(number))
    }
}
