//! The shapes of workloads and the machines of a problem, in whole units.

use super::super::kept_fills::{KeptFills, Shiftable, shiftable};
use super::super::kinds::{Detail, Kind};
use super::super::pools::{Grain, Pool};
use super::fills::{Demand, Fills};
use super::saved::saved;
use super::slot::Slot;
use super::terms::Shape;
use crate::instance::{MachineIndex, Problem};
use crate::section::{Goal, Residents};
use cluster::{BoardIndex, Demands, GpuIndex, Resource, WorkloadIndex};
use ground::Amount;
use mig::Counts;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Whether it matters where residents run now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Yes: moves count.
    PlacesKnown,
    /// No: acceptance and hardware do not depend on it.
    PlacesForgotten,
    /// No, and cores and memory are left out: what this proves holds with them.
    GpusAlone,
}

/// What machines are alike by: their GPUs, their capacities, their weights.
type Likeness = (Vec<LikeSlot>, (Option<i64>, Option<i64>), (i64, i64));

/// What GPUs are alike by: what runs there, what there is room for, whether something is pinned, what staying saves.
type LikeSlot = (Reverse<Vec<u32>>, usize, bool, Rc<Vec<i64>>);

/// What decides what staying on a GPU saves: its room, its pool where something is pinned, what runs there by shape, and at which starts.
type Residency = (usize, Option<usize>, Vec<u32>, Shiftable);

/// Machines that are alike.
pub struct Group {
    /// The machines, each with its GPUs in the order of the slots.
    pub machines: Vec<(MachineIndex, Vec<GpuIndex>)>,
    /// What their GPUs can hold, and hold now.
    pub slots: Vec<Slot>,
    /// Cores and memory beside what is pinned, in units, where they are limited.
    pub capacities: (Option<i64>, Option<i64>),
    /// Units of hardware of the machine, and of each of its GPUs.
    pub weights: (i64, i64),
}

/// The shapes of workloads and the machines of a problem.
pub struct Stock {
    /// The workloads of each shape.
    pub kinds: Vec<Kind>,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// The machines.
    pub groups: Vec<Group>,
    /// The GPUs, as they are laid out.
    pub pools: Vec<Pool>,
    /// The pool of each GPU.
    pub pool_of: BTreeMap<GpuIndex, usize>,
}

impl Stock {
    /// The shapes and machines of a problem; none if there are too many fills, or if residents of one shape differ in weight.
    pub fn of(problem: &Problem, view: View) -> Option<Self> {
        let detail = if view == View::GpusAlone { Detail::GpusAlone } else { Detail::PlacesForgotten };
        let kinds = Kind::all(problem, detail);
        let grain = if view == View::PlacesKnown { Grain::Residents } else { Grain::Machine };
        let pools = Pool::all(problem, &kinds, grain);
        let shapes: Vec<Shape> =
            kinds.iter().map(|kind| shape(problem, kind, view)).collect::<Option<_>>()?;
        let demands = Demands::of(&problem.cluster);
        let none = if view == View::GpusAlone { None } else { Some(Amount::ZERO) };
        let resources: Vec<Resource> = demands.limited(&[(none, none)]).collect();
        let demand = |name: &str, workload: WorkloadIndex| {
            let resource = resources.iter().find(|resource| resource.name == name);
            resource.map_or(0, |resource| resource.of_workload(&problem.cluster, workload) as i64)
        };
        let needs: Vec<Demand> =
            kinds.iter().map(|kind| (demand("cpu", kind.example), demand("memory", kind.example))).collect();
        let mut rooms: BTreeMap<(BoardIndex, Vec<Counts>), usize> = BTreeMap::new();
        let mut fills: Vec<Rc<Fills>> = Vec::new();
        let mut room_of: Vec<usize> = Vec::new();
        for pool in &pools {
            let key = (pool.board, pool.room.maximal.clone());
            let number = match rooms.get(&key) {
                Some(&number) => number,
                None => {
                    fills.push(Rc::new(Fills::of(problem, pool, &kinds, &needs)?));
                    rooms.insert(key, fills.len() - 1);
                    fills.len() - 1
                }
            };
            room_of.push(number);
        }
        let pool_of: BTreeMap<GpuIndex, usize> = pools
            .iter()
            .enumerate()
            .flat_map(|(position, pool)| pool.gpus.iter().map(move |&gpu| (gpu, position)))
            .collect();
        let residents = residents(problem, &kinds, view);
        let starts = if view == View::PlacesKnown { shiftable(problem, &kinds) } else { BTreeMap::new() };
        let mut kept_fills = KeptFills::new(problem, &kinds);
        let mut known: BTreeMap<Residency, Rc<Vec<i64>>> = BTreeMap::new();
        let mut saved_on: BTreeMap<GpuIndex, Rc<Vec<i64>>> = BTreeMap::new();
        for (position, (pool, &room)) in pools.iter().zip(&room_of).enumerate() {
            let beside_pinned = (!pool.pinned.is_empty()).then_some(position);
            for gpu in &pool.gpus {
                let runs = residents.get(gpu).cloned().unwrap_or_else(|| vec![0; kinds.len()]);
                let starts = starts.get(gpu).cloned().unwrap_or_default();
                let key = (room, beside_pinned, runs, starts);
                let saved = known.entry(key).or_insert_with_key(|(.., runs, starts)| {
                    let kept = if starts.is_empty() { Vec::new() } else { kept_fills.of(pool, starts) };
                    Rc::new(saved(problem, pool.board, &kinds, &shapes, &fills[room], runs, &kept))
                });
                saved_on.insert(*gpu, saved.clone());
            }
        }
        let mut groups: BTreeMap<Likeness, Group> = BTreeMap::new();
        for machine in problem.machine_indices() {
            let about = problem.machine(machine);
            let pinned = |name: &str| -> i64 {
                let pools = about.gpus.iter().map(|gpu| &pools[pool_of[gpu]]);
                let workloads = pools.filter(|pool| !pool.pinned.is_empty()).flat_map(|pool| &pool.pinned);
                workloads.map(|&workload| demand(name, workload)).sum()
            };
            let mut capacities = (None, None);
            let limits = if view == View::GpusAlone { (None, None) } else { about.capacities() };
            for resource in demands.limited(&[limits]) {
                let left = Some(resource.capacity as i64 - pinned(resource.name));
                match resource.name {
                    "cpu" => capacities.0 = left,
                    _ => capacities.1 = left,
                }
            }
            let hardware = |weight| i64::try_from(problem.extent.in_units(Goal::Hardware, weight)).ok();
            let weights = (hardware(about.weight)?, hardware(about.gpu_weight)?);
            let is_pinned = |gpu: &GpuIndex| !pools[pool_of[gpu]].pinned.is_empty();
            let likeness = |gpu: &GpuIndex| {
                let runs = residents.get(gpu).cloned().unwrap_or_else(|| vec![0; kinds.len()]);
                (Reverse(runs), room_of[pool_of[gpu]], is_pinned(gpu), saved_on[gpu].clone())
            };
            let mut gpus = about.gpus.clone();
            gpus.sort_by_key(likeness);
            let slots: Vec<LikeSlot> = gpus.iter().map(likeness).collect();
            let group = groups.entry((slots.clone(), capacities, weights)).or_insert_with(|| Group {
                machines: Vec::new(),
                slots: slots
                    .into_iter()
                    .map(|(Reverse(residents), room, is_pinned, saved)| Slot {
                        fills: fills[room].clone(),
                        residents,
                        saved,
                        is_pinned,
                    })
                    .collect(),
                capacities,
                weights,
            });
            group.machines.push((machine, gpus));
        }
        let groups = groups.into_values().collect();
        Some(Stock { kinds, shapes, groups, pools, pool_of })
    }

    /// Units of acceptance of what is pinned.
    pub fn pinned_acceptance(problem: &Problem) -> i128 {
        let pinned = problem.cluster.workload_indices().filter(|&workload| problem.is_pinned(workload));
        let weight = |workload| problem.acceptance_weight(workload);
        pinned.map(|workload| problem.extent.in_units(Goal::Acceptance, weight(workload))).sum()
    }
}

/// What runs on each GPU now, by shape, where that matters.
fn residents(problem: &Problem, kinds: &[Kind], view: View) -> BTreeMap<GpuIndex, Vec<u32>> {
    let mut residents: BTreeMap<GpuIndex, Vec<u32>> = BTreeMap::new();
    if view != View::PlacesKnown {
        return residents;
    }
    for (shape, kind) in kinds.iter().enumerate() {
        for place in kind.members.iter().filter_map(|&workload| problem.current(workload)) {
            residents.entry(place.gpu).or_insert_with(|| vec![0; kinds.len()])[shape] += 1;
        }
    }
    residents
}

/// The numbers of a shape; none if its residents differ in what moves cost.
fn shape(problem: &Problem, kind: &Kind, view: View) -> Option<Shape> {
    let units = |goal, amount| i64::try_from(problem.extent.in_units(goal, amount)).ok();
    let mut residents = kind.members.iter().copied().filter(|&workload| problem.current(workload).is_some());
    let newcomers = kind.members.len() - residents.clone().count();
    let mut shape = Shape {
        number: kind.count(),
        must_stay: kind.must_stay as u32,
        newcomers: newcomers as u32,
        acceptance: units(Goal::Acceptance, problem.acceptance_weight(kind.example))?,
        leave: 0,
        move_gpu: 0,
        move_start: 0,
        inflow: 0,
    };
    let Some(first) = residents.next().filter(|_| view == View::PlacesKnown) else { return Some(shape) };
    let weight = problem.migration_weight(first);
    if residents.any(|workload| problem.migration_weight(workload) != weight) {
        return None;
    }
    let cost = |cost| units(Goal::Migrations, problem.weighted(cost, first));
    let (far, near, evict) =
        (cost(problem.costs.move_machine)?, cost(problem.costs.move_gpu)?, cost(problem.costs.evict)?);
    (shape.leave, shape.inflow) = match problem.residents {
        Residents::Keep => (far, 0),
        // Only then is a resident that has left better replaced by a newcomer than by one from another machine.
        Residents::Evictable if near <= evict && evict <= far => (evict, far - evict),
        Residents::Evictable => return None,
    };
    shape.move_gpu = near;
    shape.move_start = cost(problem.costs.move_start)?;
    Some(shape)
}
