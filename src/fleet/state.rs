//! The state of a fleet of GPUs while requests come and go.

use super::groups::{Alike, Groups};
use super::placements::Placements;
use cluster::{
    BoardIndex, Cluster, Gpu, GpuIndex, Group, GroupIndex, HostIndex, Location, Site, SiteKind, WorkloadIndex,
};
use ground::Amount;
use mig::{Board, GpuInstance, ProfileIndex, Remaining, SliceStart, SlotMask};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What has a place on a GPU, or will have one: a number that the caller chooses, best from 0 on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guest(pub u32);

impl Guest {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a guest asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The profile that serves it on each type of board, if one does.
    pub on_board: &'r [Option<ProfileIndex>],
    /// CPU of the host, in the unit of [`Supply::cpu`].
    pub cpu: Amount,
    /// Main memory of the host, in the unit of [`Supply::memory`].
    pub memory: Amount,
    /// Whether it may be moved once it has a place.
    pub movable: bool,
    /// The workload of a cluster that it is, where the cluster's rules on nodes and groups hold for it.
    pub ruled: Option<(&'r Cluster, WorkloadIndex)>,
}

impl<'r> Request<'r> {
    /// What a workload of a cluster asks for, movable and free of the cluster's rules.
    #[must_use]
    pub fn of(cluster: &'r Cluster, workload: WorkloadIndex) -> Self {
        let about = &cluster.workloads[workload.index()];
        Self {
            on_board: &cluster.requests[about.request.index()].on_board,
            cpu: about.cpu,
            memory: about.memory,
            movable: true,
            ruled: None,
        }
    }

    /// Its groups that keep apart or belong together, with the kinds of sites that matter to each.
    fn groups(self) -> impl Iterator<Item = (GroupIndex, &'r Group, BTreeSet<SiteKind>)> {
        let groups = self.ruled.into_iter().flat_map(|(cluster, workload)| cluster.groups_of(workload));
        groups.map(|(index, group)| {
            (index, group, [group.rules.apart, group.rules.together].into_iter().flatten().collect())
        })
    }
}

/// What a host has for its guests, in any units that the requests share; `None` where it is not limited.
#[derive(Clone, Copy, Debug)]
pub struct Supply {
    /// CPU.
    pub cpu: Option<Amount>,
    /// Main memory.
    pub memory: Option<Amount>,
}

impl Supply {
    fn covers(&self, request: Request<'_>) -> bool {
        self.cpu.is_none_or(|free| request.cpu <= free)
            && self.memory.is_none_or(|free| request.memory <= free)
    }

    fn take(&mut self, request: Request<'_>) {
        self.cpu = self.cpu.map(|free| free - request.cpu);
        self.memory = self.memory.map(|free| free - request.memory);
    }

    fn give_back(&mut self, request: Request<'_>) {
        self.cpu = self.cpu.map(|free| free + request.cpu);
        self.memory = self.memory.map(|free| free + request.memory);
    }
}

/// A host's supply.
#[derive(Clone, Copy, Debug)]
pub struct HostSupply {
    /// Of the empty host.
    pub whole: Supply,
    /// What is left beside the guests.
    pub left: Supply,
}

/// A guest that was moved: a migration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Who.
    pub guest: Guest,
    /// Where it was.
    pub from: Location,
    /// Where it is.
    pub to: Location,
}

/// What runs where, and what is left. GPUs are in global order, which is that of Algorithm 2: host by host, and on each in
/// the order of its GPUs; a GPU outside any host has no limits of CPU and main memory.
///
/// A guest is placed or removed in logarithmic time: a GPU never holds more guests than slots.
pub struct Fleet<'r> {
    boards: Vec<Placements>,
    gpus: Vec<GpuState>,
    groups: Groups,
    /// The GPUs of every node.
    nodes: Vec<Vec<GpuIndex>>,
    /// What hosts had when they were empty.
    supplies: Vec<Supply>,
    /// What is left of it.
    hosts: Vec<Supply>,
    stays: Vec<Option<Stay<'r>>>,
    /// How many guests of a group are at a site; none where it would be 0.
    present: BTreeMap<(GroupIndex, SiteKind, Site), u32>,
}

struct GpuState {
    board: BoardIndex,
    host: Option<HostIndex>,
    /// Whether guests may come.
    is_in_service: bool,
    occupied: SlotMask,
    remaining: Remaining,
    /// In order of placement.
    guests: Vec<Guest>,
}

impl GpuState {
    fn group(&self) -> Alike {
        Alike { board: self.board, occupied: self.occupied }
    }
}

/// GPUs by host, in the order of the first GPU of each; those outside any host one by one.
fn nodes(gpus: &[GpuState]) -> Vec<Vec<GpuIndex>> {
    let mut nodes: Vec<Vec<GpuIndex>> = Vec::new();
    let mut node_of: BTreeMap<HostIndex, usize> = BTreeMap::new();
    for (gpu, state) in gpus.iter().enumerate() {
        let new = nodes.len();
        let node = state.host.map_or(new, |host| *node_of.entry(host).or_insert(new));
        if node == new {
            nodes.push(Vec::new());
        }
        nodes[node].push(GpuIndex::at(gpu));
    }
    nodes
}

struct Stay<'r> {
    request: Request<'r>,
    location: Location,
}

impl<'r> Fleet<'r> {
    /// A fleet without guests, with what each host has for them.
    pub fn new(boards: &[Arc<Board>], gpus: &[Gpu], hosts: Vec<Supply>) -> Self {
        let state = |gpu: &Gpu| GpuState {
            board: gpu.board,
            host: gpu.host,
            is_in_service: gpu.maintenance.is_in_service(),
            occupied: SlotMask::EMPTY,
            remaining: boards[gpu.board.index()].full_limits(),
            guests: Vec::new(),
        };
        let gpus: Vec<GpuState> = gpus.iter().map(state).collect();
        let mut groups = Groups::default();
        gpus.iter().enumerate().for_each(|(gpu, state)| groups.add(GpuIndex::at(gpu), state.group()));
        let nodes = nodes(&gpus);
        Fleet {
            boards: boards.iter().map(Placements::new).collect(),
            gpus,
            groups,
            nodes,
            supplies: hosts.clone(),
            hosts,
            stays: Vec::new(),
            present: BTreeMap::new(),
        }
    }

    /// All GPUs in global order.
    pub fn gpu_indices(&self) -> impl Iterator<Item = GpuIndex> + use<> {
        (0..self.gpus.len()).map(GpuIndex::at)
    }

    /// The GPUs of every node, in global order, and nodes in the order of their first GPUs. A GPU outside any host is a node of its own.
    pub fn nodes(&self) -> &[Vec<GpuIndex>] {
        &self.nodes
    }

    /// What the host of a GPU had when it was empty, and what is left of it; `None` for a GPU outside any host.
    pub fn supply(&self, gpu: GpuIndex) -> Option<HostSupply> {
        let host = self.gpus[gpu.index()].host?;
        Some(HostSupply { whole: self.supplies[host.index()], left: self.hosts[host.index()] })
    }

    /// The groups of GPUs of which every policy thinks alike.
    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The types of boards.
    pub fn boards(&self) -> &[Placements] {
        &self.boards
    }

    /// The type of board of a GPU.
    pub fn board_index(&self, gpu: GpuIndex) -> BoardIndex {
        self.gpus[gpu.index()].board
    }

    /// The board of a GPU.
    pub fn board_of(&self, gpu: GpuIndex) -> &Placements {
        &self.boards[self.gpus[gpu.index()].board.index()]
    }

    /// The profile that serves a request on a GPU, if one does.
    pub fn profile_on(&self, gpu: GpuIndex, request: Request<'_>) -> Option<ProfileIndex> {
        request.on_board[self.gpus[gpu.index()].board.index()]
    }

    /// The slots of a GPU that are occupied.
    pub fn occupied(&self, gpu: GpuIndex) -> SlotMask {
        self.gpus[gpu.index()].occupied
    }

    /// The guests of a GPU, in the order in which they were placed there.
    pub fn guests(&self, gpu: GpuIndex) -> &[Guest] {
        &self.gpus[gpu.index()].guests
    }

    /// The instances on a GPU, in the order of its guests.
    pub fn instances(&self, gpu: GpuIndex) -> impl Iterator<Item = GpuInstance> + '_ {
        self.guests(gpu).iter().map(|&guest| self.instance(self.stay(guest)))
    }

    /// Whether all guests of a GPU may be moved, and begin elsewhere on it.
    pub fn is_movable(&self, gpu: GpuIndex) -> bool {
        self.gpus[gpu.index()].is_in_service
            && self.guests(gpu).iter().all(|&guest| self.request(guest).movable)
    }

    /// Where a guest is, if it has a place.
    pub fn location(&self, guest: Guest) -> Option<Location> {
        self.stays.get(guest.index())?.as_ref().map(|stay| stay.location)
    }

    /// What a guest that has a place asked for.
    pub fn request(&self, guest: Guest) -> Request<'r> {
        self.stay(guest).request
    }

    /// Whether a request could have a certain place now.
    pub fn can_take(&self, request: Request<'_>, location: Location) -> bool {
        let Some(state) = self.gpus.get(location.gpu.index()) else { return false };
        let Some(profile) = request.on_board[state.board.index()] else { return false };
        let board = self.boards[state.board.index()].board();
        let instance = GpuInstance { profile, start: location.start };
        board.is_legal(instance)
            && !state.occupied.intersects(board.footprint(instance))
            && self.admits(location.gpu, request)
            && self.allows(location.gpu, profile, request)
    }

    /// Whether the rules of the cluster let a request come to a GPU now: it is in service, on a node that admits the request, and of no
    /// group of the request is there who keeps apart, or elsewhere who belongs together.
    pub fn admits(&self, gpu: GpuIndex, request: Request<'_>) -> bool {
        let admits_node = request.ruled.is_none_or(|(cluster, workload)| cluster.admits(workload, gpu));
        self.gpus[gpu.index()].is_in_service && admits_node && self.groups_admit(gpu, request)
    }

    /// Whether the groups of a request let it be on a GPU beside the guests that have places.
    pub fn groups_admit(&self, gpu: GpuIndex, request: Request<'_>) -> bool {
        let Some((cluster, _)) = request.ruled else { return true };
        request.groups().all(|(index, group, _)| {
            let key = |kind| (index, kind, cluster.site_of(gpu, kind));
            let keeps_apart = group.rules.apart.is_none_or(|kind| !self.present.contains_key(&key(kind)));
            let is_together = group.rules.together.is_none_or(|kind| {
                let mut sites = self.present.keys().filter(|(other, of, _)| (*other, *of) == (index, kind));
                sites.all(|site| *site == key(kind))
            });
            keeps_apart && is_together
        })
    }

    /// Counts a guest as present or absent at the sites that matter to its groups.
    fn count(&mut self, request: Request<'_>, gpu: GpuIndex, change: impl Fn(u32) -> u32) {
        let Some((cluster, _)) = request.ruled else { return };
        for (index, _, kinds) in request.groups() {
            for kind in kinds {
                let key = (index, kind, cluster.site_of(gpu, kind));
                match change(self.present.get(&key).copied().unwrap_or(0)) {
                    0 => self.present.remove(&key),
                    present => self.present.insert(key, present),
                };
            }
        }
    }

    /// Whether the limits of a GPU's board, and what is left of its host, allow one more instance.
    pub(super) fn allows(&self, gpu: GpuIndex, profile: ProfileIndex, request: Request<'_>) -> bool {
        let state = &self.gpus[gpu.index()];
        let board = self.boards[state.board.index()].board();
        let mut limits = state.remaining.as_slice().iter().zip(board.limits());
        limits.all(|(left, limit)| limit.usage_of(profile) <= *left)
            && state.host.is_none_or(|host| self.hosts[host.index()].covers(request))
    }

    /// Gives a guest a place that is free.
    pub fn place(&mut self, guest: Guest, request: Request<'r>, location: Location) {
        let stay = Stay { request, location };
        let instance = self.instance(&stay);
        let state = &mut self.gpus[location.gpu.index()];
        let board = self.boards[state.board.index()].board();
        let before = state.group();
        state.occupied = state.occupied.union(board.footprint(instance));
        self.groups.change(location.gpu, before, state.group());
        state.remaining = state.remaining.take(board, instance.profile).expect("the limits allow it");
        state.guests.push(guest);
        if let Some(host) = state.host {
            self.hosts[host.index()].take(request);
        }
        self.count(request, location.gpu, |present| present + 1);
        if self.stays.len() <= guest.index() {
            self.stays.resize_with(guest.index() + 1, || None);
        }
        self.stays[guest.index()] = Some(stay);
    }

    /// Takes a guest's place away, and says what it had asked for.
    pub fn remove(&mut self, guest: Guest) -> Request<'r> {
        let stay = self.stays[guest.index()].take().expect("it has a place");
        let instance = self.instance(&stay);
        let state = &mut self.gpus[stay.location.gpu.index()];
        let board = self.boards[state.board.index()].board();
        let before = state.group();
        state.occupied = state.occupied.without(board.footprint(instance));
        self.groups.change(stay.location.gpu, before, state.group());
        state.remaining = state.remaining.give_back(board, instance.profile);
        state.guests.retain(|other| *other != guest);
        if let Some(host) = state.host {
            self.hosts[host.index()].give_back(stay.request);
        }
        self.count(stay.request, stay.location.gpu, |present| present - 1);
        stay.request
    }

    /// Moves the guests of a GPU to other starts, given in the order of the guests, all at once; the order of placement
    /// stays. Says who begins elsewhere now.
    pub fn rearrange(&mut self, gpu: GpuIndex, starts: &[SliceStart]) -> Vec<Move> {
        let guests = std::mem::take(&mut self.gpus[gpu.index()].guests);
        let mut moves = Vec::new();
        let mut occupied = SlotMask::EMPTY;
        for (&guest, &start) in guests.iter().zip(starts) {
            let (from, to) = (self.stay(guest).location, Location { gpu, start });
            if from != to {
                moves.push(Move { guest, from, to });
            }
            let stay = Stay { request: self.request(guest), location: to };
            occupied = occupied.union(self.board_of(gpu).board().footprint(self.instance(&stay)));
            self.stays[guest.index()] = Some(stay);
        }
        let state = &mut self.gpus[gpu.index()];
        let before = state.group();
        (state.guests, state.occupied) = (guests, occupied);
        self.groups.change(gpu, before, state.group());
        moves
    }

    fn stay(&self, guest: Guest) -> &Stay<'r> {
        self.stays[guest.index()].as_ref().expect("it has a place")
    }

    fn instance(&self, stay: &Stay<'_>) -> GpuInstance {
        let profile = self.profile_on(stay.location.gpu, stay.request).expect("the board serves it");
        GpuInstance { profile, start: stay.location.start }
    }
}
