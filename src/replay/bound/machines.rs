//! The machines of a fleet, those that are alike together, and the kinds of virtual machines that they may hold.

use super::machine::{Equipment, Kind, Machine};
use crate::asked_for::fills_asked_for;
use cluster::{BoardIndex, Cluster, GpuIndex, RequestIndex};
use ground::Amount;
use itertools::Itertools;
use mig::Room;
use prices::Limits;
use solver::Effort;
use std::collections::BTreeMap;

/// Machines that are alike: hosts, or GPUs outside any host.
pub struct Alike {
    /// The GPUs of each machine.
    pub machines: Vec<Vec<GpuIndex>>,
    cpu: Option<Amount>,
    memory: Option<Amount>,
}

/// All machines of a fleet.
pub struct Machines {
    /// The virtual machines, those that ask for the same together.
    pub kinds: Vec<Kind>,
    /// The machines, those that are alike together.
    pub classes: Vec<Alike>,
    /// What a GPU has room for, by type of board.
    pub rooms: Vec<Room>,
}

impl Machines {
    /// Those of a cluster, and the kinds of some of its virtual machines.
    pub fn of(cluster: &Cluster, members: &[bool]) -> Self {
        let mut kinds: BTreeMap<(RequestIndex, Amount, Amount), Vec<usize>> = BTreeMap::new();
        for (position, about) in
            cluster.workloads.iter().enumerate().filter(|(position, _)| members[*position])
        {
            kinds.entry((about.request, about.cpu, about.memory)).or_default().push(position);
        }
        type Likeness = (Vec<(BoardIndex, usize)>, Option<Amount>, Option<Amount>);
        let mut classes: BTreeMap<Likeness, Vec<Vec<GpuIndex>>> = BTreeMap::new();
        for gpus in machines(cluster) {
            let boards = gpus.iter().map(|gpu| cluster.gpus[gpu.index()].board).counts();
            let boards = boards.into_iter().sorted().collect();
            let host = cluster.gpus[gpus[0].index()].host.map(|host| &cluster.hosts[host.index()]);
            let likeness = (boards, host.and_then(|host| host.cpu), host.and_then(|host| host.memory));
            classes.entry(likeness).or_default().push(gpus);
        }
        let room = |board| Room::of(&fills_asked_for(cluster, BoardIndex::at(board)));
        Machines {
            kinds: kinds
                .into_iter()
                .map(|((request, _, _), positions)| Kind { request, positions })
                .collect(),
            classes: classes
                .into_iter()
                .map(|((_, cpu, memory), machines)| Alike { machines, cpu, memory })
                .collect(),
            rooms: (0..cluster.boards.len()).map(room).collect(),
        }
    }

    /// The kind of each of so many virtual machines, by position in the trace; none for those that are not members.
    pub fn kind_of(&self, virtual_machines: usize) -> Vec<Option<usize>> {
        let mut kind_of = vec![None; virtual_machines];
        for (number, kind) in self.kinds.iter().enumerate() {
            kind.positions.iter().for_each(|&position| kind_of[position] = Some(number));
        }
        kind_of
    }

    /// Each class as a part of a search by prices.
    ///
    /// # Errors
    /// When the solver refuses a program.
    pub fn parts<'s>(
        &self,
        cluster: &Cluster,
        effort: &'s Effort,
        limits: &'s Limits<'s>,
    ) -> Result<Vec<Machine<'s>>, String> {
        let part = |class: &Alike| {
            let boards = by_board(cluster, &class.machines[0]).into_iter();
            let boards = boards.map(|(board, gpus)| (board, gpus.len())).collect();
            let equipment = Equipment { boards, resources: (class.cpu, class.memory) };
            let number = class.machines.len() as u32;
            Machine::new(cluster, &self.kinds, &self.rooms, number, &equipment, effort, limits)
        };
        self.classes.iter().map(part).collect()
    }
}

/// The GPUs of each machine: of each host in turn, and then each GPU outside any host alone.
pub fn machines(cluster: &Cluster) -> Vec<Vec<GpuIndex>> {
    let host_of = |gpu: &GpuIndex| cluster.gpus[gpu.index()].host.ok_or(*gpu);
    let by_host = cluster.gpu_indices().into_group_map_by(host_of).into_iter().sorted();
    by_host.map(|(_, gpus)| gpus).collect()
}

/// The GPUs of the machine of a GPU, itself among them.
pub fn beside(cluster: &Cluster, gpu: GpuIndex) -> impl Iterator<Item = GpuIndex> + '_ {
    let host = cluster.gpus[gpu.index()].host;
    let same_host = move |other: &GpuIndex| host.is_some() && cluster.gpus[other.index()].host == host;
    cluster.gpu_indices().filter(move |other| *other == gpu || same_host(other))
}

/// The GPUs of a machine by type of board.
pub fn by_board(cluster: &Cluster, machine: &[GpuIndex]) -> BTreeMap<BoardIndex, Vec<GpuIndex>> {
    let mut by_board: BTreeMap<BoardIndex, Vec<GpuIndex>> = BTreeMap::new();
    for &gpu in machine {
        by_board.entry(cluster.gpus[gpu.index()].board).or_default().push(gpu);
    }
    by_board
}
