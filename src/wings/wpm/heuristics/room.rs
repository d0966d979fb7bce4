//! What is free on every GPU while a heuristic works, and which GPUs may be tried.

use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use cluster::{BoardIndex, GpuIndex, Location, Placement, WorkloadIndex};
use mig::{GpuInstance, Remaining, SliceStart, SlotMask};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What matters about a GPU when a place is sought: GPUs in the same state are alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    board: BoardIndex,
    occupied: SlotMask,
    remaining: Remaining,
    used: u32,
}

/// Used memory and compute slices over those of the board, the paper's joint slice utilisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Utilisation {
    used: u32,
    total: u32,
}

impl Ord for Utilisation {
    fn cmp(&self, other: &Self) -> Ordering {
        (u64::from(self.used) * u64::from(other.total)).cmp(&(u64::from(other.used) * u64::from(self.total)))
    }
}

impl PartialOrd for Utilisation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In which order the legal starts of a GPU are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Starts {
    /// From slot 0 on.
    Ascending,
    /// Those first that leave the greatest choice on an empty board (the paper's Table 1).
    Preferred,
}

/// A place that a workload could take.
pub struct Candidate {
    /// The GPU.
    pub gpu: GpuIndex,
    /// The instance there.
    pub instance: GpuInstance,
    /// The GPU's utilisation once the workload is there.
    pub utilisation: Utilisation,
}

/// The cluster while a heuristic works on it.
///
/// Only *open* GPUs are offered as candidates. They are grouped by state, so that finding a place takes one look per
/// state, however many GPUs there are.
#[derive(Clone)]
pub struct Room<'p> {
    problem: &'p Problem,
    placement: Placement,
    on_gpu: Vec<Vec<WorkloadIndex>>,
    states: Vec<State>,
    /// Position of every GPU in the order in which equally good ones are taken, and back.
    rank: Vec<usize>,
    gpu_of_rank: Vec<GpuIndex>,
    open: BTreeMap<State, BTreeSet<usize>>,
    /// Start slots by board, profile and order.
    ascending: StartTable,
    preferred: StartTable,
}

type StartTable = Vec<Vec<Vec<SliceStart>>>;

impl<'p> Room<'p> {
    /// The current state, residents included, with no GPU open. GPUs rank in the cluster's order.
    pub fn with_residents(problem: &'p Problem) -> Self {
        let mut room = Room::empty(problem);
        for workload in problem.cluster.workload_indices() {
            if let Some(current) = problem.cluster.workloads[workload.index()].current {
                let instance =
                    problem.current_instance(workload).expect("running workloads have an instance");
                room.put(workload, current.gpu, instance);
            }
        }
        room
    }

    /// The current state without the residents, who are lifted and wait for a place; no GPU is open.
    ///
    /// Beside a pinned workload the slots of its neighbours stay blocked: such a GPU cannot be repartitioned, and the
    /// printed reading does not use slots again that were occupied at first.
    pub fn with_residents_lifted(problem: &'p Problem) -> Self {
        let mut room = Room::empty(problem);
        for workload in problem.cluster.workload_indices() {
            let Some(current) = problem.cluster.workloads[workload.index()].current else { continue };
            let instance = problem.current_instance(workload).expect("running workloads have an instance");
            if problem.role(workload) == Role::Pinned {
                room.put(workload, current.gpu, instance);
            } else if problem.gpu_role(current.gpu) == GpuRole::Pinned {
                let footprint = problem.board(current.gpu).footprint(instance);
                let state = &mut room.states[current.gpu.index()];
                state.occupied = state.occupied.union(footprint);
            }
        }
        room
    }

    fn empty(problem: &'p Problem) -> Self {
        let cluster = &problem.cluster;
        let state = |gpu| State {
            board: problem.board_index(gpu),
            occupied: SlotMask::EMPTY,
            remaining: problem.board(gpu).full_limits(),
            used: 0,
        };
        let table = |starts: fn(&mig::Board, mig::ProfileIndex) -> Vec<SliceStart>| {
            let of_board = |board: &std::sync::Arc<mig::Board>| {
                board.profile_indices().map(|profile| starts(board, profile)).collect()
            };
            cluster.boards.iter().map(of_board).collect()
        };
        Room {
            problem,
            placement: Placement::new(vec![None; cluster.workloads.len()]),
            on_gpu: vec![Vec::new(); cluster.gpus.len()],
            states: cluster.gpu_indices().map(state).collect(),
            rank: (0..cluster.gpus.len()).collect(),
            gpu_of_rank: cluster.gpu_indices().collect(),
            open: BTreeMap::new(),
            ascending: table(|board, profile| board.profile(profile).starts.clone()),
            preferred: table(mig::preferred_starts),
        }
    }

    /// Makes GPUs rank in the given order. No GPU may be open yet.
    pub fn rank_in(&mut self, order: Vec<GpuIndex>) {
        debug_assert!(self.open.is_empty());
        for (rank, gpu) in order.iter().enumerate() {
            self.rank[gpu.index()] = rank;
        }
        self.gpu_of_rank = order;
    }

    /// Offers a GPU from now on.
    pub fn open(&mut self, gpu: GpuIndex) {
        self.open.entry(self.states[gpu.index()].clone()).or_default().insert(self.rank[gpu.index()]);
    }

    /// Offers a GPU no more.
    pub fn close(&mut self, gpu: GpuIndex) {
        let state = &self.states[gpu.index()];
        let Some(alike) = self.open.get_mut(state) else { return };
        alike.remove(&self.rank[gpu.index()]);
        if alike.is_empty() {
            self.open.remove(state);
        }
    }

    /// Whether a GPU is offered.
    pub fn is_open(&self, gpu: GpuIndex) -> bool {
        self.open.get(&self.states[gpu.index()]).is_some_and(|alike| alike.contains(&self.rank[gpu.index()]))
    }

    /// A place on every kind of open GPU that can take the workload, on the first GPU of its kind.
    pub fn candidates(
        &self,
        workload: WorkloadIndex,
        starts: Starts,
    ) -> impl Iterator<Item = Candidate> + '_ {
        self.open.iter().filter_map(move |(state, alike)| {
            let instance = self.fit(state, workload, starts)?;
            let first = *alike.first().expect("no group is empty");
            Some(Candidate {
                gpu: self.gpu_of_rank[first],
                instance,
                utilisation: self.utilisation_with(state, instance),
            })
        })
    }

    /// The first start of the GPU that can take the workload, whether the GPU is open or not.
    pub fn fit_on(&self, gpu: GpuIndex, workload: WorkloadIndex, starts: Starts) -> Option<GpuInstance> {
        self.fit(&self.states[gpu.index()], workload, starts)
    }

    fn fit(&self, state: &State, workload: WorkloadIndex, starts: Starts) -> Option<GpuInstance> {
        let cluster = &self.problem.cluster;
        let board = &cluster.boards[state.board.index()];
        let request = &cluster.requests[cluster.workloads[workload.index()].request.index()];
        let profile = request.on_board[state.board.index()]?;
        state.remaining.take(board, profile)?;
        let table = match starts {
            Starts::Ascending => &self.ascending,
            Starts::Preferred => &self.preferred,
        };
        table[state.board.index()][profile.index()]
            .iter()
            .map(|&start| GpuInstance { profile, start })
            .find(|&instance| !board.footprint(instance).intersects(state.occupied))
    }

    fn utilisation_with(&self, state: &State, instance: GpuInstance) -> Utilisation {
        let board = &self.problem.cluster.boards[state.board.index()];
        let profile = board.profile(instance.profile);
        Utilisation {
            used: state.used + profile.size + profile.compute,
            total: board.slots() + board.compute(),
        }
    }

    /// Utilisation of a GPU.
    pub fn utilisation(&self, gpu: GpuIndex) -> Utilisation {
        let board = self.problem.board(gpu);
        Utilisation { used: self.states[gpu.index()].used, total: board.slots() + board.compute() }
    }

    /// Position of a GPU in the order in which equally good ones are taken.
    pub fn rank(&self, gpu: GpuIndex) -> usize {
        self.rank[gpu.index()]
    }

    /// Workloads on a GPU.
    pub fn workloads_on(&self, gpu: GpuIndex) -> &[WorkloadIndex] {
        &self.on_gpu[gpu.index()]
    }

    /// Puts a workload where [`Room::candidates`] or [`Room::fit_on`] found room for it.
    pub fn put(&mut self, workload: WorkloadIndex, gpu: GpuIndex, instance: GpuInstance) {
        self.placement.set(workload, Some(Location { gpu, start: instance.start }));
        self.on_gpu[gpu.index()].push(workload);
        let board = self.problem.board(gpu);
        self.change(gpu, |state| {
            let profile = board.profile(instance.profile);
            state.occupied = state.occupied.union(board.footprint(instance));
            state.remaining = state.remaining.take(board, instance.profile).expect("there is room for it");
            state.used += profile.size + profile.compute;
        });
    }

    /// Takes a workload away from where it is.
    pub fn lift(&mut self, workload: WorkloadIndex) {
        let place = self.placement.of(workload).expect("it has a place");
        let instance = self.problem.cluster.instance_at(workload, place).expect("it was placed");
        self.placement.set(workload, None);
        self.on_gpu[place.gpu.index()].retain(|&other| other != workload);
        let board = self.problem.board(place.gpu);
        self.change(place.gpu, |state| {
            let profile = board.profile(instance.profile);
            state.occupied = state.occupied.without(board.footprint(instance));
            state.remaining = state.remaining.give_back(board, instance.profile);
            state.used -= profile.size + profile.compute;
        });
    }

    fn change(&mut self, gpu: GpuIndex, change: impl FnOnce(&mut State)) {
        let open = self.is_open(gpu);
        if open {
            self.close(gpu);
        }
        change(&mut self.states[gpu.index()]);
        if open {
            self.open(gpu);
        }
    }

    /// Where everything is.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Where everything is, at the end.
    pub fn into_placement(self) -> Placement {
        self.placement
    }
}
