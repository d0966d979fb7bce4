//! What all partial schedules share.

use super::super::machines::beside;
use super::super::plan::Plan;
use super::super::timeline::Timeline;
use cluster::{Cluster, GpuIndex, Location, WorkloadIndex};
use fleet::Placements;
use ground::Amount;
use itertools::Itertools;
use mig::{GpuInstance, ProfileIndex};
use std::collections::BTreeMap;

/// The fleet, and what is to be placed on it when.
pub struct Scene<'s> {
    /// The fleet and the virtual machines.
    pub cluster: &'s Cluster,
    /// When they are there.
    pub timeline: &'s Timeline,
    /// By position in the trace.
    pub chosen: &'s [bool],
    /// What is planned for them.
    pub plan: &'s Plan,
    /// By board.
    pub placements: Vec<Placements>,
    /// Numbers that are equal for those that need the same until the same time, by position in the trace.
    pub likeness: Vec<u64>,
    /// Numbers that are equal for GPUs of the same board on hosts with the same CPU and main memory.
    pub kinds: Vec<u64>,
    /// The GPUs of each GPU's host, the GPU itself among them.
    pub beside: Vec<Vec<GpuIndex>>,
}

impl<'s> Scene<'s> {
    pub fn of(cluster: &'s Cluster, timeline: &'s Timeline, chosen: &'s [bool], plan: &'s Plan) -> Self {
        let needs = cluster
            .workloads
            .iter()
            .enumerate()
            .map(|(position, about)| (timeline.end(position), about.request, about.cpu, about.memory));
        let kind = |gpu: &cluster::Gpu| {
            let host = gpu.host.map(|host| &cluster.hosts[host.index()]);
            (gpu.board, host.map(|host| (host.cpu, host.memory)))
        };
        Scene {
            cluster,
            timeline,
            chosen,
            plan,
            placements: cluster.boards.iter().map(Placements::new).collect(),
            likeness: numbered(needs),
            kinds: numbered(cluster.gpus.iter().map(kind)),
            beside: cluster.gpu_indices().map(|gpu| beside(cluster, gpu).collect()).collect(),
        }
    }

    /// The profile of a virtual machine on a GPU, if its board serves it.
    pub fn profile(&self, gpu: GpuIndex, position: usize) -> Option<ProfileIndex> {
        let request = self.cluster.workloads[position].request;
        self.cluster.requests[request.index()].on_board[self.cluster.gpus[gpu.index()].board.index()]
    }

    /// The instance of a virtual machine at a place.
    pub fn instance(&self, position: usize, place: Location) -> GpuInstance {
        let instance = self.cluster.instance_at(WorkloadIndex::at(position), place);
        instance.expect("places are on boards that serve")
    }

    /// How boards place instances, for a GPU.
    pub fn placements_of(&self, gpu: GpuIndex) -> &Placements {
        &self.placements[self.cluster.gpus[gpu.index()].board.index()]
    }

    /// Whether the host of a GPU has enough for these guests and one more.
    pub fn host_admits(&self, gpu: GpuIndex, guests: impl Iterator<Item = usize>, position: usize) -> bool {
        let Some(host) = self.cluster.gpus[gpu.index()].host else { return true };
        let (mut cpu, mut memory) = (Amount::ZERO, Amount::ZERO);
        for guest in guests.chain([position]) {
            cpu += self.cluster.workloads[guest].cpu;
            memory += self.cluster.workloads[guest].memory;
        }
        let host = &self.cluster.hosts[host.index()];
        host.cpu.is_none_or(|limit| cpu <= limit) && host.memory.is_none_or(|limit| memory <= limit)
    }
}

/// The number of each among the different ones, from 1 on.
fn numbered<T: Ord + Clone>(all: impl Iterator<Item = T> + Clone) -> Vec<u64> {
    let numbers: BTreeMap<T, u64> = all.clone().sorted().dedup().zip(1..).collect();
    all.map(|one| numbers[&one]).collect()
}
