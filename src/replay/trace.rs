//! The trace as it is in memory.

use super::moment::Moment;
use crate::cluster::{Cluster, WorkloadIndex};
use crate::model::siavashi::heuristic::{Guest, Request};

/// A fleet of GPUs, and virtual machines that arrive and leave.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Hosts, GPUs and, as workloads, the virtual machines in the order of their arrival, those that arrive at one moment in the
    /// order of the file. None of them has a place yet. The requests are the profiles of the trace, in the order in which
    /// tables list them; every one of them may be asked for by no virtual machine. Main memory is counted in the unit of the
    /// source.
    pub cluster: Cluster,
    /// When each workload of the cluster comes and goes.
    pub visits: Vec<Visit>,
}

impl Trace {
    /// What a guest asks for.
    pub fn request(&self, guest: Guest) -> Request<'_> {
        let workload = &self.cluster.workloads[WorkloadIndex(guest.0).index()];
        Request {
            on_board: &self.cluster.requests[workload.request.index()].on_board,
            cpu: workload.cpu,
            memory: workload.memory,
            movable: workload.movable,
        }
    }
}

/// When a virtual machine comes and goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// When it arrives.
    pub arrival: Moment,
    /// When it leaves if it is accepted, not before its arrival; `None` if it stays for good. One that leaves when it arrives is
    /// there for a moment that counts.
    pub departure: Option<Moment>,
}
