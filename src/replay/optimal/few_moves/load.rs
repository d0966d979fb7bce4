//! What a machine holds, whichever of its GPUs it is on.

use cluster::{BoardIndex, Cluster, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use mig::{Facet, Hull, ProfileIndex};
use siavashi::Machine;
use std::rc::Rc;

/// The load of a machine, and what is left.
pub struct Load {
    guests: u32,
    cpu: Option<Amount>,
    memory: Option<Amount>,
    /// The boards of its GPUs.
    boards: Vec<BoardIndex>,
    /// Where they are all of one type and its hull is known: what all of them hold.
    pool: Option<Pool>,
    least_gpus: u64,
}

/// What the GPUs of a machine hold together, by the facets of their board.
struct Pool {
    board: BoardIndex,
    hull: Rc<Hull>,
    /// What is used of each facet.
    used: Vec<u64>,
    gpus: u64,
}

impl Pool {
    /// The profile of a virtual machine on these GPUs, if their board serves it.
    fn profile(&self, cluster: &Cluster, workload: WorkloadIndex) -> Option<ProfileIndex> {
        let request = cluster.workloads[workload.index()].request;
        cluster.requests[request.index()].on_board[self.board.index()]
    }

    fn has_room(&self, profile: ProfileIndex) -> bool {
        let fits = |(facet, used): (&Facet, &u64)| {
            used + uses(facet, profile) <= u64::from(facet.capacity) * self.gpus
        };
        self.hull.facets().iter().zip(&self.used).all(fits)
    }

    fn add(&mut self, profile: ProfileIndex) {
        self.used.iter_mut().zip(self.hull.facets()).for_each(|(used, facet)| *used += uses(facet, profile));
    }

    fn remove(&mut self, profile: ProfileIndex) {
        self.used.iter_mut().zip(self.hull.facets()).for_each(|(used, facet)| *used -= uses(facet, profile));
    }

    /// How many GPUs at least hold so much.
    fn least_gpus(&self) -> u64 {
        // Nothing is used of a facet without capacity.
        let least = |(facet, used): (&Facet, &u64)| used.div_ceil(u64::from(facet.capacity.max(1)));
        self.hull.facets().iter().zip(&self.used).map(least).max().unwrap_or(0).min(self.gpus)
    }
}

/// What an instance of a profile uses of a facet.
fn uses(facet: &Facet, profile: ProfileIndex) -> u64 {
    u64::from(facet.coefficients[profile.index()])
}

impl Load {
    /// An empty machine.
    pub fn of(cluster: &Cluster, machine: &Machine, hulls: &[Option<Rc<Hull>>]) -> Self {
        let boards = machine.gpus.iter().map(|gpu| cluster.gpus[gpu.index()].board);
        let boards = boards.sorted().dedup().collect_vec();
        let pool = match boards.as_slice() {
            [board] => hulls[board.index()].clone().map(|hull| Pool {
                board: *board,
                used: vec![0; hull.facets().len()],
                hull,
                gpus: machine.gpus.len() as u64,
            }),
            _ => None,
        };
        Load { guests: 0, cpu: machine.cpu, memory: machine.memory, boards, pool, least_gpus: 0 }
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        self.guests == 0
    }

    /// How many GPUs at least are in use.
    pub fn least_gpus(&self) -> u64 {
        self.least_gpus
    }

    /// Counts them anew, when the load has changed.
    fn count_gpus(&mut self) {
        let pooled = self.pool.as_ref().map(Pool::least_gpus);
        self.least_gpus = pooled.unwrap_or_else(|| u64::from(self.guests.min(1)));
    }

    /// How much hardware at least is in use: GPUs, and the machine itself.
    pub fn least_hardware(&self) -> u64 {
        self.least_gpus + u64::from(self.guests > 0)
    }

    /// Whether one more might fit: it does not if this is false.
    pub fn has_room(&self, cluster: &Cluster, workload: WorkloadIndex) -> bool {
        let about = &cluster.workloads[workload.index()];
        let on_board = &cluster.requests[about.request.index()].on_board;
        let pool_has =
            |pool: &Pool| pool.profile(cluster, workload).is_some_and(|profile| pool.has_room(profile));
        self.cpu.is_none_or(|cpu| about.cpu <= cpu)
            && self.memory.is_none_or(|memory| about.memory <= memory)
            && self.boards.iter().any(|board| on_board[board.index()].is_some())
            && self.pool.as_ref().is_none_or(pool_has)
    }

    /// Adds a virtual machine.
    pub fn add(&mut self, cluster: &Cluster, workload: WorkloadIndex) {
        let about = &cluster.workloads[workload.index()];
        self.guests += 1;
        self.cpu = self.cpu.map(|cpu| cpu - about.cpu);
        self.memory = self.memory.map(|memory| memory - about.memory);
        if let Some(pool) = &mut self.pool {
            pool.add(pool.profile(cluster, workload).expect("the board serves it"));
        }
        self.count_gpus();
    }

    /// Takes one off.
    pub fn remove(&mut self, cluster: &Cluster, workload: WorkloadIndex) {
        let about = &cluster.workloads[workload.index()];
        self.guests -= 1;
        self.cpu = self.cpu.map(|cpu| cpu + about.cpu);
        self.memory = self.memory.map(|memory| memory + about.memory);
        if let Some(pool) = &mut self.pool {
            pool.remove(pool.profile(cluster, workload).expect("the board serves it"));
        }
        self.count_gpus();
    }
}
