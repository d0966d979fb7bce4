//! GPUs that are alike count together: what a pool of them can hold, by facets or by patterns.

use super::kinds::Kind;
use crate::instance::{MachineIndex, Problem};
use cluster::{BoardIndex, GpuIndex, Location, Maintenance, Placement, WorkloadIndex};
use good_lp::{Expression, variable};
use itertools::Itertools;
use kit::room_rows;
use mig::{
    ArrangePriority, Counts, GpuInstance, ProfileIndex, Remaining, Room, SlotMask, arrange, fill_table,
};
use milp::{Handle, ProgramBuilder};
use std::collections::BTreeMap;
use std::sync::Arc;

/// GPUs of one machine and one board on which the same is fixed: nothing, or pinned instances on a single GPU. A GPU out of service is
/// one of its own, and so is every GPU where a group asks something of single ones.
pub struct Pool {
    /// The machine.
    pub machine: MachineIndex,
    /// The board.
    pub board: BoardIndex,
    /// The GPUs.
    pub gpus: Vec<GpuIndex>,
    /// Workloads that stay where they are, on the only GPU.
    pub pinned: Vec<WorkloadIndex>,
    /// The slots that they occupy.
    pub occupied: SlotMask,
    /// What can be added to each GPU.
    pub room: Arc<Room>,
}

/// Which GPUs of a machine are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// GPUs of a board are alike, whatever runs on them, unless it is pinned.
    Machine,
    /// Only empty GPUs of a board are alike.
    Residents,
}

impl Pool {
    /// The pools of a problem, machine by machine; kinds decide which profiles matter.
    pub fn all(problem: &Problem, kinds: &[Kind], grain: Grain) -> Vec<Pool> {
        let residents = problem.cluster.current_placement().by_gpu(&problem.cluster);
        let mut rooms = Rooms { problem, kinds, known: BTreeMap::new() };
        let told_apart = problem.tells_gpus_apart();
        let mut pools = Vec::new();
        for machine in problem.machine_indices() {
            let mut shared: BTreeMap<BoardIndex, usize> = BTreeMap::new();
            for &gpu in &problem.machine(machine).gpus {
                let board = problem.cluster.gpus[gpu.index()].board;
                let on_gpu = &residents[gpu.index()];
                let pinned: Vec<WorkloadIndex> =
                    on_gpu.iter().copied().filter(|&workload| problem.is_pinned(workload)).collect();
                let alone = !pinned.is_empty()
                    || (grain == Grain::Residents && !on_gpu.is_empty())
                    || problem.maintenance(gpu) != Maintenance::InService
                    || told_apart;
                if let Some(&pool) = shared.get(&board).filter(|_| !alone) {
                    let pool: &mut Pool = &mut pools[pool];
                    pool.gpus.push(gpu);
                    continue;
                }
                if !alone {
                    shared.insert(board, pools.len());
                }
                let (occupied, room) = rooms.beside(board, &pinned);
                pools.push(Pool { machine, board, gpus: vec![gpu], pinned, occupied, room });
            }
        }
        pools
    }

    /// Number of GPUs.
    pub fn size(&self) -> u32 {
        self.gpus.len() as u32
    }

    /// The GPU, if there is one only.
    pub fn only_gpu(&self) -> Option<GpuIndex> {
        (self.gpus.len() == 1).then(|| self.gpus[0])
    }

    /// Whether workloads may start on its GPUs; those out of service are told apart.
    pub fn is_in_service(&self, problem: &Problem) -> bool {
        problem.maintenance(self.gpus[0]) == Maintenance::InService
    }

    /// Name for columns and rows: that of the first GPU.
    pub fn name<'p>(&self, problem: &'p Problem) -> &'p str {
        &problem.cluster.gpus[self.gpus[0].index()].name
    }

    /// How many instances of a profile one GPU can take.
    pub fn most(&self, profile: ProfileIndex) -> u32 {
        self.room.maximal.iter().map(|fill| fill.get(profile)).max().unwrap_or(0)
    }

    /// Gamma: how many of the GPUs are in use; all of them where something is pinned.
    pub fn used_column(&self, problem: &Problem, builder: &mut ProgramBuilder) -> Handle {
        let least = if self.pinned.is_empty() { 0 } else { self.size() };
        let definition = variable().integer().min(least).max(self.size());
        Handle::add(builder, format!("Gamma[{}]", self.name(problem)), definition)
    }

    /// Rows that confine counts by profile to what the used GPUs can hold together. Returns the columns for patterns.
    pub(super) fn rows(
        &self,
        problem: &Problem,
        builder: &mut ProgramBuilder,
        counts: &[Expression],
        used: Handle,
    ) -> Vec<Handle> {
        room_rows(builder, self.name(problem), &self.room, counts, &used.variable.into(), self.size())
    }

    /// Puts workloads on so many of the GPUs, with as many as the parts allow on the GPU and at the start where they are now.
    ///
    /// # Panics
    /// When the GPUs cannot hold them; rows from [`Pool::rows`] admit no such counts.
    pub fn lay_out(
        &self,
        problem: &Problem,
        workloads: &[WorkloadIndex],
        gpus: u32,
        placement: &mut Placement,
    ) {
        if !self.is_in_service(problem) {
            // Nothing starts there.
            for &workload in workloads {
                placement.set(workload, problem.current(workload));
            }
            return;
        }
        let board = &problem.cluster.boards[self.board.index()];
        let profile_of = |workload: WorkloadIndex| {
            let request = problem.cluster.workloads[workload.index()].request;
            problem.cluster.requests[request.index()].on_board[self.board.index()]
                .expect("the pool can hold it")
        };
        let mut counts = Counts::zero(board.profiles().len());
        for &workload in workloads {
            counts = counts.add_one(profile_of(workload));
        }
        let parts =
            self.room.split(&counts, gpus).expect("the rows of a program only admit what can be split");
        let before = |workload: WorkloadIndex, gpu: GpuIndex| {
            let place = problem.current(workload).filter(|place| place.gpu == gpu)?;
            Some(GpuInstance { profile: profile_of(workload), start: place.start })
        };
        let running = |gpu: GpuIndex| -> Vec<GpuInstance> {
            workloads.iter().filter_map(|&workload| before(workload, gpu)).collect()
        };
        let counted = |gpu| Counts::from_instances(counts.len(), &running(gpu));
        let mut waiting = workloads.to_vec();
        let mut free: Vec<(GpuIndex, GpuInstance)> = Vec::new();
        for (gpu, part) in self.matched(parts, counted) {
            let layout = arrange(board, self.occupied, &part, &running(gpu), ArrangePriority::KeepFirst)
                .expect("every part is a fill");
            let mut take = |fits: &dyn Fn(GpuInstance) -> bool| {
                let position =
                    waiting.iter().position(|&workload| before(workload, gpu).is_some_and(fits))?;
                Some(waiting.remove(position))
            };
            let mut left = Vec::new();
            for instance in layout {
                match take(&|before| before == instance) {
                    Some(workload) => placement.set(workload, Some(Location { gpu, start: instance.start })),
                    None => left.push(instance),
                }
            }
            for instance in left {
                match take(&|before| before.profile == instance.profile) {
                    Some(workload) => placement.set(workload, Some(Location { gpu, start: instance.start })),
                    None => free.push((gpu, instance)),
                }
            }
        }
        for (gpu, instance) in free {
            let fits = |workload: &WorkloadIndex| profile_of(*workload) == instance.profile;
            let position = waiting.iter().position(fits).expect("the parts are made of the workloads");
            placement.set(waiting.remove(position), Some(Location { gpu, start: instance.start }));
        }
    }

    /// Chooses a GPU for each part, those first that keep most of what runs there now.
    fn matched(&self, parts: Vec<Counts>, running: impl Fn(GpuIndex) -> Counts) -> Vec<(GpuIndex, Counts)> {
        let mut gpus: Vec<(GpuIndex, Counts)> = self.gpus.iter().map(|&gpu| (gpu, running(gpu))).collect();
        let mut parts: Vec<Counts> = parts.into_iter().filter(|part| !part.is_zero()).collect();
        let mut matched = Vec::new();
        while !parts.is_empty() {
            let pairs = (0..parts.len()).cartesian_product(0..gpus.len());
            let kept = |&(part, gpu): &(usize, usize)| {
                (parts[part].minimum(&gpus[gpu].1).total(), std::cmp::Reverse((part, gpu)))
            };
            let (part, gpu) = pairs.max_by_key(kept).expect("there are no more parts than GPUs");
            matched.push((gpus.remove(gpu).0, parts.remove(part)));
        }
        matched
    }
}

/// Computes each room once.
struct Rooms<'p> {
    problem: &'p Problem,
    kinds: &'p [Kind],
    known: BTreeMap<(BoardIndex, SlotMask, Remaining), Arc<Room>>,
}

impl Rooms<'_> {
    /// The slots that pinned workloads occupy, and the room beside them.
    fn beside(&mut self, board: BoardIndex, pinned: &[WorkloadIndex]) -> (SlotMask, Arc<Room>) {
        let about = &self.problem.cluster.boards[board.index()];
        let (mut occupied, mut remaining) = (SlotMask::EMPTY, about.full_limits());
        for &workload in pinned {
            let place = self.problem.current(workload).expect("pinned workloads run");
            let instance =
                self.problem.cluster.instance_at(workload, place).expect("the current state is legal");
            occupied = occupied.union(about.footprint(instance));
            remaining = remaining.take(about, instance.profile).expect("the current state is legal");
        }
        let room = self.known.entry((board, occupied, remaining.clone())).or_insert_with(|| {
            let wanted: Vec<ProfileIndex> = about
                .profile_indices()
                .filter(|&profile| {
                    self.kinds.iter().any(|kind| kind.profile_on(self.problem, board) == Some(profile))
                })
                .collect();
            let fills = fill_table(about, occupied, &remaining).of_profiles(&wanted);
            Arc::new(Room::of(&fills))
        });
        (occupied, room.clone())
    }
}
