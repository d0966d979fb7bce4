//! From contents of machines to a placement and back.

use super::super::kinds::Kind;
use super::super::lift::{place, running_on};
use super::super::machine_level::Content as Held;
use super::content::Content;
use super::stock::{Group, Stock};
use super::view::View;
use crate::instance::{MachineIndex, Problem};
use cluster::{GpuIndex, Placement};
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;
use prices::Chosen;
use std::collections::BTreeMap;

/// The contents of all machines in a placement, each with its group.
pub fn contents(stock: &Stock, placement: &Placement) -> Vec<(usize, Content)> {
    let on_gpu: Vec<OnGpu> =
        stock.assortments.iter().map(|assortment| on_gpu(&assortment.kinds, placement)).collect();
    let counts = |assortment: usize, gpu: &GpuIndex| -> Vec<(usize, u32)> {
        on_gpu[assortment]
            .get(gpu)
            .map_or_else(Vec::new, |counts| counts.iter().map(|(&shape, &count)| (shape, count)).collect())
    };
    let mut contents = Vec::new();
    for (number, group) in stock.groups.iter().enumerate() {
        let shapes = stock.assortments[group.assortment].kinds.len();
        for (_, gpus) in &group.machines {
            let fills = gpus.iter().zip(&group.slots);
            let fills: Option<Vec<u32>> =
                fills.map(|(gpu, slot)| slot.fills.number_of(&counts(group.assortment, gpu))).collect();
            let fills = fills.expect("a valid placement holds fills");
            contents.push((number, Content::of(&group.slots, shapes, fills)));
        }
    }
    contents
}

/// By GPU: how many of each shape.
type OnGpu = BTreeMap<GpuIndex, BTreeMap<usize, u32>>;

fn on_gpu(kinds: &[Kind], placement: &Placement) -> OnGpu {
    let mut on_gpu = OnGpu::new();
    for (shape, kind) in kinds.iter().enumerate() {
        for place in kind.members.iter().filter_map(|&workload| placement.of(workload)) {
            *on_gpu.entry(place.gpu).or_default().entry(shape).or_default() += 1;
        }
    }
    on_gpu
}

/// A placement in which machines have the chosen contents and as much stays as these say or more.
pub fn placement(problem: &Problem, stock: &Stock, view: View<'_>, chosen: &[Chosen<Content>]) -> Placement {
    let held = Held { counts: vec![0; stock.shared().kinds.len()], gpus: 0 };
    let mut of_pool = vec![held; stock.pools.len()];
    for (held, pool) in of_pool.iter_mut().zip(&stock.pools).filter(|(_, pool)| !pool.pinned.is_empty()) {
        held.gpus = pool.size();
    }
    for (number, group) in stock.groups.iter().enumerate() {
        let own = chosen.iter().filter(|chosen| chosen.part == number);
        let contents: Vec<&Content> =
            own.flat_map(|chosen| std::iter::repeat_n(&chosen.content, chosen.number as usize)).collect();
        let order = match view.knows_places {
            true => (0..contents.len()).collect(),
            false => matched(problem, stock, group, &contents),
        };
        for (content, machine) in contents.into_iter().zip(order) {
            for ((gpu, slot), &fill) in group.machines[machine].1.iter().zip(&group.slots).zip(&content.fills)
            {
                let held = &mut of_pool[stock.pool_of[gpu]];
                let fill = &slot.fills.all[fill as usize];
                held.gpus += u32::from(!slot.is_pinned && !fill.counts.is_empty());
                for &(shape, count) in &fill.counts {
                    held.counts[shape] += count;
                }
            }
        }
    }
    leave_out(stock, &mut of_pool);
    place(problem, &stock.shared().kinds, &stock.pools, &of_pool)
}

/// The same contents on machines where the most workloads stay, where it does not matter yet what runs where.
pub fn rearranged(problem: &Problem, stock: &Stock, found: &Placement) -> Placement {
    let chosen =
        contents(stock, found).into_iter().map(|(part, content)| Chosen { part, content, number: 1 });
    let view = View { knows_places: false, apart: None };
    placement(problem, stock, view, &chosen.collect::<Vec<_>>())
}

/// Leaves out what there is not: contents together may have room for more of a shape than there are.
fn leave_out(stock: &Stock, of_pool: &mut [Held]) {
    for (shape, kind) in stock.shared().kinds.iter().enumerate() {
        let held: u32 = of_pool.iter().map(|held| held.counts[shape]).sum();
        let mut excess = held.saturating_sub(kind.count());
        for held in of_pool.iter_mut() {
            let out = excess.min(held.counts[shape]);
            held.counts[shape] -= out;
            excess -= out;
        }
    }
}

/// The machine for each of some contents, so that the most workloads stay on their machines.
fn matched(problem: &Problem, stock: &Stock, group: &Group, contents: &[&Content]) -> Vec<usize> {
    let running: Vec<Vec<u32>> = group
        .machines
        .iter()
        .map(|&(machine, _): &(MachineIndex, _)| running_on(problem, &stock.shared().kinds, machine))
        .collect();
    let kept = |content: usize, machine: usize| -> i64 {
        let pairs = contents[content].counts.iter().zip(&running[machine]);
        pairs.map(|(placed, running)| i64::from(*placed.min(running))).sum()
    };
    let weights =
        Matrix::from_fn(contents.len(), group.machines.len(), |(content, machine)| kept(content, machine));
    kuhn_munkres(&weights).1
}
