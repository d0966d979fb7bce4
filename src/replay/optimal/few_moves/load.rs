//! What a machine holds, whichever of its GPUs it is on.

use cluster::{BoardIndex, Cluster, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use mig::{Counts, Hull};
use siavashi::Machine;

/// The load of a machine, and what is left.
pub struct Load {
    guests: u32,
    cpu: Option<Amount>,
    memory: Option<Amount>,
    /// The boards of its GPUs.
    boards: Vec<BoardIndex>,
    /// Where they are all of one type and its hull is known: what all of them hold.
    pool: Option<Pool>,
    least_gpus: u32,
}

struct Pool {
    board: BoardIndex,
    hull: Hull,
    counts: Counts,
    gpus: u32,
}

impl Load {
    /// An empty machine.
    pub fn of(cluster: &Cluster, machine: &Machine, hulls: &[Option<Hull>]) -> Self {
        let boards = machine.gpus.iter().map(|gpu| cluster.gpus[gpu.index()].board);
        let boards = boards.sorted().dedup().collect_vec();
        let pool = match boards.as_slice() {
            [board] => hulls[board.index()].clone().map(|hull| Pool {
                board: *board,
                hull,
                counts: Counts::zero(cluster.boards[board.index()].profiles().len()),
                gpus: machine.gpus.len() as u32,
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
    pub fn least_gpus(&self) -> i128 {
        i128::from(self.least_gpus)
    }

    /// Counts them anew, when the load has changed.
    fn count_gpus(&mut self) {
        let pooled = self.pool.as_ref().map(|pool| {
            let suffices = |gpus: &u32| pool.hull.contains(&pool.counts, *gpus);
            (0..pool.gpus).find(suffices).unwrap_or(pool.gpus)
        });
        self.least_gpus = pooled.unwrap_or_else(|| self.guests.min(1));
    }

    /// How much hardware at least is in use: GPUs, and the machine itself.
    pub fn least_hardware(&self) -> i128 {
        self.least_gpus() + i128::from(self.guests > 0)
    }

    /// Whether one more might fit: it does not if this is false.
    pub fn has_room(&self, cluster: &Cluster, workload: WorkloadIndex) -> bool {
        let about = &cluster.workloads[workload.index()];
        let on_board = &cluster.requests[about.request.index()].on_board;
        let pool_has = |pool: &Pool| {
            let profile = on_board[pool.board.index()];
            profile.is_some_and(|profile| pool.hull.contains(&pool.counts.add_one(profile), pool.gpus))
        };
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
            let profile = cluster.requests[about.request.index()].on_board[pool.board.index()];
            pool.counts = pool.counts.add_one(profile.expect("the board serves it"));
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
            let profile = cluster.requests[about.request.index()].on_board[pool.board.index()];
            pool.counts = pool.counts.remove_one(profile.expect("the board serves it")).expect("it is there");
        }
        self.count_gpus();
    }
}
