//! From counts by machine to a placement that moves little.

use super::kinds::Kind;
use super::machine_level::{Content, MachineLevel};
use super::pools::Pool;
use super::settle::settle;
use crate::instance::{MachineIndex, Problem};
use cluster::{Placement, WorkloadIndex};
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// A placement with the counts of a solution of the machine-level program.
///
/// Machines that are alike change places so that as much as possible runs where it runs now; each machine keeps its own
/// residents first, then takes newcomers, then residents of other machines (before newcomers if residents keep a place).
pub fn lift(problem: &Problem, level: &MachineLevel, columns: &[f64]) -> Placement {
    let contents = exchange(problem, level, level.contents(columns));
    place(problem, &level.kinds, &level.pools, &contents)
}

/// A placement in which pools have these contents: each keeps what runs there now first, then takes what runs on its machine, then
/// newcomers, then residents of other machines (before newcomers if residents keep a place).
pub fn place(problem: &Problem, kinds: &[Kind], pools: &[Pool], contents: &[Content]) -> Placement {
    let mut dealt: Vec<Vec<WorkloadIndex>> = vec![Vec::new(); pools.len()];
    for (position, kind) in kinds.iter().enumerate() {
        let wanted: Vec<u32> = contents.iter().map(|content| content.counts[position]).collect();
        deal(problem, pools, kind, wanted, &mut dealt);
    }
    let gpus: Vec<u32> = contents.iter().map(|content| content.gpus).collect();
    lay_out(problem, kinds, pools, &dealt, &gpus)
}

/// A placement in which pools hold these workloads, each on so many GPUs.
pub fn lay_out(
    problem: &Problem,
    kinds: &[Kind],
    pools: &[Pool],
    dealt: &[Vec<WorkloadIndex>],
    gpus: &[u32],
) -> Placement {
    let mut placement = Placement::new(vec![None; problem.cluster.workloads.len()]);
    for workload in problem.cluster.workload_indices().filter(|&workload| problem.is_pinned(workload)) {
        placement.set(workload, problem.current(workload));
    }
    for ((pool, workloads), &gpus) in pools.iter().zip(dealt).zip(gpus) {
        pool.lay_out(problem, workloads, gpus, &mut placement);
    }
    settle(problem, kinds, &mut placement);
    placement
}

/// Gives machines that are alike each other's contents so that the most workloads can stay on their machines.
fn exchange(problem: &Problem, level: &MachineLevel, contents: Vec<Content>) -> Vec<Content> {
    let mut exchanged = contents.clone();
    let pools_of = |machine: MachineIndex| {
        level
            .pools
            .iter()
            .enumerate()
            .filter(move |(_, pool)| pool.machine == machine)
            .map(|(position, _)| position)
    };
    for group in &level.alike {
        let running: Vec<Vec<u32>> =
            group.iter().map(|&machine| running_on(problem, &level.kinds, machine)).collect();
        let placed: Vec<Vec<u32>> = group
            .iter()
            .map(|&machine| {
                let of_kind = |kind: usize| pools_of(machine).map(|pool| contents[pool].counts[kind]).sum();
                (0..level.kinds.len()).map(of_kind).collect()
            })
            .collect();
        let kept = |content: usize, machine: usize| -> i64 {
            let pairs = placed[content].iter().zip(&running[machine]);
            pairs.map(|(placed, running)| i64::from(*placed.min(running))).sum()
        };
        let size = group.len();
        let weights = Matrix::from_fn(size, size, |(content, machine)| kept(content, machine));
        let (_, machine_of) = kuhn_munkres(&weights);
        for (content, machine) in machine_of.into_iter().enumerate() {
            for (from, to) in pools_of(group[content]).zip(pools_of(group[machine])) {
                exchanged[to] = contents[from].clone();
            }
        }
    }
    exchanged
}

/// How many workloads of each kind run on a machine now.
pub fn running_on(problem: &Problem, kinds: &[Kind], machine: MachineIndex) -> Vec<u32> {
    let runs_here = |workload: &&WorkloadIndex| {
        problem.current(**workload).is_some_and(|place| problem.machine_of(place.gpu) == machine)
    };
    kinds.iter().map(|kind| kind.members.iter().filter(runs_here).count() as u32).collect()
}

/// Deals the members of a kind out to pools that want so many of them.
fn deal(
    problem: &Problem,
    pools: &[Pool],
    kind: &Kind,
    mut wanted: Vec<u32>,
    dealt: &mut [Vec<WorkloadIndex>],
) {
    let mut left: Vec<Option<WorkloadIndex>> = kind.members.iter().copied().map(Some).collect();
    let mut take = |wanted: &mut [u32], fits: &dyn Fn(usize, WorkloadIndex) -> bool| {
        for pool in 0..wanted.len() {
            for slot in &mut left {
                if wanted[pool] == 0 {
                    break;
                }
                if let Some(workload) = slot.filter(|&workload| fits(pool, workload)) {
                    dealt[pool].push(workload);
                    wanted[pool] -= 1;
                    *slot = None;
                }
            }
        }
    };
    take(&mut wanted, &|pool, workload| {
        problem.current(workload).is_some_and(|place| pools[pool].gpus.contains(&place.gpu))
    });
    take(&mut wanted, &|pool, workload| {
        let machine = |gpu| problem.machine_of(gpu) == pools[pool].machine;
        problem.current(workload).is_some_and(|place| machine(place.gpu))
    });
    take(&mut wanted, &|_, workload| problem.must_stay(workload));
    take(&mut wanted, &|_, workload| problem.current(workload).is_none());
    take(&mut wanted, &|_, _| true);
}
