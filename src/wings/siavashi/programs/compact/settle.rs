//! Residents that stay on their GPU keep their slots, as many as can.

use super::kept_fills::is_shiftable;
use super::kinds::Kind;
use crate::instance::Problem;
use cluster::{GpuIndex, Location, Placement, WorkloadIndex};
use ground::Amount;
use mig::{Counts, GpuInstance, SlotMask, arrangements};
use std::collections::BTreeMap;

/// Residents of one GPU that may stand in for one another, for whom another start there costs something.
struct Alike {
    /// What it costs each of them.
    cost: Amount,
    /// All that run there now.
    all: Vec<WorkloadIndex>,
    /// How many of them stay.
    stay: usize,
}

/// Changes a placement so that moves of the start cost as little as what every GPU holds allows, and nothing else costs more: the
/// starts on GPUs, and which of the residents that are alike stay.
pub fn settle(problem: &Problem, kinds: &[Kind], placement: &mut Placement) {
    if !problem.starts_cost() {
        return;
    }
    let mut on_gpu: BTreeMap<GpuIndex, BTreeMap<(usize, Amount), Vec<WorkloadIndex>>> = BTreeMap::new();
    for (number, kind) in kinds.iter().enumerate() {
        for &workload in kind.members.iter().filter(|&&workload| is_shiftable(problem, workload)) {
            let gpu = problem.current(workload).expect("it runs").gpu;
            let likeness = (number, problem.migration_weight(workload));
            on_gpu.entry(gpu).or_default().entry(likeness).or_default().push(workload);
        }
    }
    for (gpu, alike) in on_gpu {
        let is_here = |workload: WorkloadIndex| placement.of(workload).is_some_and(|place| place.gpu == gpu);
        let group = |all: Vec<WorkloadIndex>| Alike {
            cost: problem.weighted(problem.costs.move_start, all[0]),
            stay: all.iter().filter(|&&workload| is_here(workload)).count(),
            all,
        };
        let alike: Vec<Alike> = alike.into_values().map(group).filter(|group| group.stay > 0).collect();
        if !alike.is_empty() {
            settle_gpu(problem, gpu, &alike, placement);
        }
    }
}

fn settle_gpu(problem: &Problem, gpu: GpuIndex, alike: &[Alike], placement: &mut Placement) {
    let board = problem.board(gpu);
    let on = |placement: &Placement, workload: WorkloadIndex| {
        let place = placement.of(workload).filter(|place| place.gpu == gpu)?;
        problem.cluster.instance_at(workload, place)
    };
    let here: Vec<WorkloadIndex> =
        problem.cluster.workload_indices().filter(|&workload| on(placement, workload).is_some()).collect();
    let (mut occupied, mut counts) = (SlotMask::EMPTY, Counts::zero(board.profiles().len()));
    for &workload in &here {
        let instance = on(placement, workload).expect("it is there");
        match problem.is_pinned(workload) {
            true => occupied = occupied.union(board.footprint(instance)),
            false => counts = counts.add_one(instance.profile),
        }
    }
    let home = |workload: &WorkloadIndex| {
        let place = problem.current(*workload).expect("it runs");
        problem.cluster.instance_at(*workload, place).expect("the current state is legal")
    };
    let spared = |layout: &[GpuInstance]| -> Amount {
        let of_group = |group: &Alike| {
            let kept = group.all.iter().filter(|workload| layout.contains(&home(workload))).count();
            group.cost * kept.min(group.stay) as i128
        };
        alike.iter().map(of_group).sum()
    };
    let layouts = arrangements(board, occupied, &counts);
    let best = layouts.iter().rev().max_by_key(|layout| spared(layout));
    let mut free = best.expect("what is there has a layout").clone();
    let mut waiting: Vec<WorkloadIndex> =
        here.into_iter().filter(|&workload| !problem.is_pinned(workload)).collect();
    for group in alike {
        let is_here = |workload: &WorkloadIndex| waiting.contains(workload);
        let mut order = group.all.clone();
        order.sort_by_key(|workload| (!free.contains(&home(workload)), !is_here(workload)));
        let (stay, leave) = order.split_at(group.stay);
        let come: Vec<WorkloadIndex> = stay.iter().copied().filter(|workload| !is_here(workload)).collect();
        let go: Vec<WorkloadIndex> = leave.iter().copied().filter(is_here).collect();
        for (come, go) in come.into_iter().zip(go) {
            let elsewhere = placement.of(come);
            placement.set(come, placement.of(go));
            placement.set(go, elsewhere);
            waiting.retain(|&workload| workload != go);
            waiting.push(come);
        }
        for &workload in stay {
            if let Some(position) = free.iter().position(|&instance| instance == home(&workload)) {
                free.remove(position);
                waiting.retain(|&other| other != workload);
                placement.set(workload, problem.current(workload));
            }
        }
    }
    for workload in waiting {
        let profile = on(placement, workload).expect("it is there").profile;
        let position = free.iter().position(|instance| instance.profile == profile);
        let instance = free.remove(position.expect("the layout has an instance for each"));
        placement.set(workload, Some(Location { gpu, start: instance.start }));
    }
}
