//! What is free on every GPU while a heuristic works, and which GPUs may be tried.

use super::rules::Rules;
use super::states::{Starts, State, StateIndex, States};
use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use cluster::{BoardIndex, GpuIndex, Location, Maintenance, Placement, WorkloadIndex};
use mig::{GpuInstance, ProfileIndex};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

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
/// state with room, however many GPUs there are.
#[derive(Clone)]
pub struct Room<'p> {
    problem: &'p Problem,
    placement: Placement,
    on_gpu: Vec<Vec<WorkloadIndex>>,
    states: States<'p>,
    state_of: Vec<StateIndex>,
    /// Position of every GPU in the order in which equally good ones are taken, and back.
    rank: Vec<usize>,
    gpu_of_rank: Vec<GpuIndex>,
    /// Ranks of the open GPUs by state.
    open: Vec<BTreeSet<usize>>,
    /// States of open GPUs with room, by board and profile.
    with_room: BTreeMap<(BoardIndex, ProfileIndex), BTreeSet<StateIndex>>,
    rules: Rules<'p>,
}

impl<'p> Room<'p> {
    /// The current state with no GPU open: residents included, except for those that must leave a GPU to be drained, or that the rules
    /// do not admit where they are, beside those before them. GPUs rank in the cluster's order.
    pub fn with_residents(problem: &'p Problem) -> Self {
        let mut room = Room::empty(problem);
        room.put_pinned();
        let residents = problem.decided().filter(|&workload| problem.role(workload) == Role::Resident);
        for workload in residents.filter(|&workload| !problem.is_resident_in(workload, Maintenance::Draining))
        {
            room.put_back_or_block(workload);
        }
        room
    }

    /// Puts what is pinned where it is.
    fn put_pinned(&mut self) {
        let problem = self.problem;
        for workload in problem.cluster.workload_indices() {
            if problem.role(workload) == Role::Pinned {
                let gpu =
                    problem.cluster.workloads[workload.index()].current.expect("what is pinned runs").gpu;
                self.put(workload, gpu, problem.current_instance(workload).expect("it has an instance"));
            }
        }
    }

    /// Puts a resident where it runs now if the rules admit it there. Otherwise its slots stay blocked: the printed reading does not
    /// use slots again that were occupied at first.
    fn put_back_or_block(&mut self, workload: WorkloadIndex) {
        let problem = self.problem;
        let gpu = problem.cluster.workloads[workload.index()].current.expect("residents run").gpu;
        let instance = problem.current_instance(workload).expect("running workloads have an instance");
        if self.rules.admit(workload, gpu) {
            self.put(workload, gpu, instance);
        } else {
            let footprint = problem.board(gpu).footprint(instance);
            self.change(gpu, |state| state.occupied = state.occupied.union(footprint));
        }
    }

    /// The current state without the residents, who are lifted and wait for a place, unless they may stay on a cordoned GPU; no GPU is
    /// open.
    ///
    /// Beside a pinned workload the slots of its neighbours stay blocked: such a GPU cannot be repartitioned, and the
    /// printed reading does not use slots again that were occupied at first.
    pub fn with_residents_lifted(problem: &'p Problem) -> Self {
        let mut room = Room::empty(problem);
        room.put_pinned();
        for workload in problem.decided() {
            let Some(current) = problem.cluster.workloads[workload.index()].current else { continue };
            let instance = problem.current_instance(workload).expect("running workloads have an instance");
            if problem.is_resident_in(workload, Maintenance::Cordoned) {
                room.put_back_or_block(workload);
            } else if problem.gpu_role(current.gpu) == GpuRole::Pinned {
                let footprint = problem.board(current.gpu).footprint(instance);
                room.change(current.gpu, |state| state.occupied = state.occupied.union(footprint));
            }
        }
        room
    }

    fn empty(problem: &'p Problem) -> Self {
        let cluster = &problem.cluster;
        let mut states = States::new(&cluster.boards);
        let empty: Vec<StateIndex> =
            (0..cluster.boards.len()).map(|board| states.number_of_empty(BoardIndex::at(board))).collect();
        Room {
            problem,
            placement: Placement::new(vec![None; cluster.workloads.len()]),
            on_gpu: vec![Vec::new(); cluster.gpus.len()],
            states,
            state_of: cluster.gpus.iter().map(|gpu| empty[gpu.board.index()]).collect(),
            rank: (0..cluster.gpus.len()).collect(),
            gpu_of_rank: cluster.gpu_indices().collect(),
            open: Vec::new(),
            with_room: BTreeMap::new(),
            rules: Rules::of(problem),
        }
    }

    /// Makes GPUs rank in the given order. No GPU may be open yet.
    pub fn rank_in(&mut self, order: Vec<GpuIndex>) {
        debug_assert!(self.open.iter().all(BTreeSet::is_empty));
        for (rank, gpu) in order.iter().enumerate() {
            self.rank[gpu.index()] = rank;
        }
        self.gpu_of_rank = order;
    }

    /// Offers a GPU from now on.
    pub fn open(&mut self, gpu: GpuIndex) {
        let state = self.state_of[gpu.index()];
        if self.open.len() <= state.index() {
            self.open.resize_with(state.index() + 1, BTreeSet::new);
        }
        let alike = &mut self.open[state.index()];
        alike.insert(self.rank[gpu.index()]);
        if alike.len() == 1 {
            let board = self.states.get(state).board;
            for profile in self.states.fitting(state) {
                self.with_room.entry((board, profile)).or_default().insert(state);
            }
        }
    }

    /// Offers a GPU no more.
    pub fn close(&mut self, gpu: GpuIndex) {
        let state = self.state_of[gpu.index()];
        let Some(alike) = self.open.get_mut(state.index()) else { return };
        if alike.remove(&self.rank[gpu.index()]) && alike.is_empty() {
            let board = self.states.get(state).board;
            for profile in self.states.fitting(state) {
                self.with_room.entry((board, profile)).or_default().remove(&state);
            }
        }
    }

    /// Whether a GPU is offered.
    pub fn is_open(&self, gpu: GpuIndex) -> bool {
        let alike = self.open.get(self.state_of[gpu.index()].index());
        alike.is_some_and(|alike| alike.contains(&self.rank[gpu.index()]))
    }

    /// The first open GPU of every kind.
    pub fn open_gpus(&self) -> impl Iterator<Item = GpuIndex> + '_ {
        self.open.iter().filter_map(|alike| alike.first().map(|&rank| self.gpu_of_rank[rank]))
    }

    /// A place on every kind of open GPU that can take the workload, on the first GPU of its kind that the rules admit.
    pub fn candidates(
        &self,
        workload: WorkloadIndex,
        starts: Starts,
    ) -> impl Iterator<Item = Candidate> + '_ {
        let boards = (0..self.problem.cluster.boards.len()).map(BoardIndex::at);
        let profiles = boards.filter_map(move |board| Some((board, self.profile_on(board, workload)?)));
        let states = profiles.flat_map(move |(board, profile)| {
            let states = self.with_room.get(&(board, profile)).into_iter().flatten();
            states.map(move |&state| (state, profile))
        });
        states.filter_map(move |(state, profile)| {
            let instance = self.states.fit(state, profile, starts)?;
            let mut gpus = self.open[state.index()].iter().map(|&rank| self.gpu_of_rank[rank]);
            Some(Candidate {
                gpu: gpus.find(|&gpu| self.rules.admit(workload, gpu))?,
                instance,
                utilisation: self.utilisation_with(self.states.get(state), instance),
            })
        })
    }

    /// The first start of the GPU that can take the workload, whether the GPU is open or not, if the rules admit it there.
    pub fn fit_on(&self, gpu: GpuIndex, workload: WorkloadIndex, starts: Starts) -> Option<GpuInstance> {
        if !self.rules.admit(workload, gpu) {
            return None;
        }
        let profile = self.profile_on(self.problem.board_index(gpu), workload)?;
        self.states.fit(self.state_of[gpu.index()], profile, starts)
    }

    /// The profile that serves a workload on a board.
    fn profile_on(&self, board: BoardIndex, workload: WorkloadIndex) -> Option<ProfileIndex> {
        let cluster = &self.problem.cluster;
        cluster.requests[cluster.workloads[workload.index()].request.index()].on_board[board.index()]
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
        Utilisation {
            used: self.states.get(self.state_of[gpu.index()]).used,
            total: board.slots() + board.compute(),
        }
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
        let place = Location { gpu, start: instance.start };
        self.placement.set(workload, Some(place));
        self.rules.placed(workload, place);
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
        self.rules.lifted(workload, place);
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
        let mut state = self.states.get(self.state_of[gpu.index()]).clone();
        change(&mut state);
        self.state_of[gpu.index()] = self.states.number(state);
        if open {
            self.open(gpu);
        }
    }

    /// Where everything is.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Whether the rules admit a workload on a GPU.
    pub fn admits(&self, workload: WorkloadIndex, gpu: GpuIndex) -> bool {
        self.rules.admit(workload, gpu)
    }

    /// Whether no more has changed than may.
    pub fn is_within_limits(&self) -> bool {
        self.rules.are_within_limits()
    }

    /// Where everything is, at the end: of groups that count as one, all or nothing.
    pub fn into_placement(mut self) -> Placement {
        while let Some(workload) = self.rules.first_placed_in_part(&self.placement) {
            self.lift(workload);
        }
        self.placement
    }
}
