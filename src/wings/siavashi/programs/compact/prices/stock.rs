//! The shapes of workloads and the machines of a problem, in whole units.

use super::super::pools::{Grain, Pool};
use super::assortment::Assortment;
use super::slot::Slot;
use super::view::View;
use crate::instance::{MachineIndex, Problem};
use crate::section::Goal;
use cluster::{Demands, GpuIndex, Resource, WorkloadIndex};
use ground::Amount;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What machines are alike by: their shapes, their GPUs, their capacities, their weights.
type Likeness = (usize, Vec<LikeSlot>, (Option<i64>, Option<i64>), (i64, i64));

/// What GPUs are alike by: what runs there, what there is room for, whether something is pinned, what staying saves.
type LikeSlot = (Reverse<Vec<u32>>, usize, bool, Rc<Vec<i64>>);

/// Machines that are alike.
pub struct Group {
    /// The position of the shapes that are told apart there.
    pub assortment: usize,
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
    /// The shapes that all machines share, then those of single machines where more are told apart.
    pub assortments: Vec<Assortment>,
    /// The machines.
    pub groups: Vec<Group>,
    /// The GPUs, as they are laid out.
    pub pools: Vec<Pool>,
    /// The pool of each GPU.
    pub pool_of: BTreeMap<GpuIndex, usize>,
}

impl Stock {
    /// The shapes and machines of a problem; none if there are too many fills, or if residents of one shape differ in weight.
    pub fn of(problem: &Problem, view: View<'_>) -> Option<Self> {
        let demands = Demands::of(&problem.cluster);
        let resources: Vec<Resource> = demands.limited(&[(Some(Amount::ZERO), Some(Amount::ZERO))]).collect();
        let demand = |workload: WorkloadIndex| {
            let of = |name: &str| {
                let resource = resources.iter().find(|resource| resource.name == name);
                resource.map_or(0, |resource| resource.of_workload(&problem.cluster, workload) as i64)
            };
            (of("cpu"), of("memory"))
        };
        let shared = Assortment::shared(problem, view, &demand)?;
        let grain = if view.knows_places { Grain::Residents } else { Grain::Machine };
        let pools = Pool::all(problem, &shared.kinds, grain);
        let pool_of: BTreeMap<GpuIndex, usize> = pools
            .iter()
            .enumerate()
            .flat_map(|(position, pool)| pool.gpus.iter().map(move |&gpu| (gpu, position)))
            .collect();
        let mut assortments = vec![shared];
        let mut groups: BTreeMap<Likeness, Group> = BTreeMap::new();
        for machine in problem.machine_indices() {
            let about = problem.machine(machine);
            let mut assortment = 0;
            if view.apart.is_some_and(|apart| apart.machines.contains(&machine)) {
                // Where even the coarser shapes have too many fills, cores and memory are left out there, too.
                let own = [true, false].into_iter().find_map(|has_modest| {
                    let shared = &assortments[0].kinds;
                    let mut own =
                        Assortment::of_machine(problem, view, shared, machine, has_modest, &demand)?;
                    let has_rooms =
                        about.gpus.iter().all(|gpu| own.room(problem, &pools[pool_of[gpu]]).is_some());
                    has_rooms.then_some(own)
                });
                assortment = if own.is_some() { assortments.len() } else { 0 };
                assortments.extend(own);
            }
            let matter = view.apart.is_none() || !view.knows_places || assortment > 0;
            let pinned = |of: fn((i64, i64)) -> i64| -> i64 {
                let pools = about.gpus.iter().map(|gpu| &pools[pool_of[gpu]]);
                let workloads = pools.filter(|pool| !pool.pinned.is_empty()).flat_map(|pool| &pool.pinned);
                workloads.map(|&workload| of(demand(workload))).sum()
            };
            let mut capacities = (None, None);
            for resource in demands.limited(&[about.capacities()]).filter(|_| matter) {
                match resource.name {
                    "cpu" => capacities.0 = Some(resource.capacity as i64 - pinned(|demand| demand.0)),
                    _ => capacities.1 = Some(resource.capacity as i64 - pinned(|demand| demand.1)),
                }
            }
            let hardware = |weight| i64::try_from(problem.extent.in_units(Goal::Hardware, weight)).ok();
            let weights = (hardware(about.weight)?, hardware(about.gpu_weight)?);
            let own = &mut assortments[assortment];
            let likeness = |&gpu: &GpuIndex| -> Option<(LikeSlot, GpuIndex)> {
                let position = pool_of[&gpu];
                let pool = &pools[position];
                let room = own.room(problem, pool)?;
                let saved = own.saved(problem, (position, pool), room, gpu);
                Some(((Reverse(own.runs(gpu)), room, !pool.pinned.is_empty(), saved), gpu))
            };
            let mut slots: Vec<(LikeSlot, GpuIndex)> =
                about.gpus.iter().map(likeness).collect::<Option<_>>()?;
            slots.sort_by(|one, other| one.0.cmp(&other.0));
            let (slots, gpus): (Vec<LikeSlot>, Vec<GpuIndex>) = slots.into_iter().unzip();
            let group = groups.entry((assortment, slots, capacities, weights)).or_insert_with_key(|key| {
                let slot = |(Reverse(residents), room, is_pinned, saved): &LikeSlot| Slot {
                    fills: own.fills(*room),
                    residents: residents.clone(),
                    saved: saved.clone(),
                    is_pinned: *is_pinned,
                };
                Group {
                    assortment,
                    machines: Vec::new(),
                    slots: key.1.iter().map(slot).collect(),
                    capacities,
                    weights,
                }
            });
            group.machines.push((machine, gpus));
        }
        let groups = groups.into_values().collect();
        Some(Stock { assortments, groups, pools, pool_of })
    }

    /// What all machines share.
    pub fn shared(&self) -> &Assortment {
        &self.assortments[0]
    }

    /// Units of acceptance of what is pinned.
    pub fn pinned_acceptance(problem: &Problem) -> i128 {
        let pinned = problem.cluster.workload_indices().filter(|&workload| problem.is_pinned(workload));
        let weight = |workload| problem.acceptance_weight(workload);
        pinned.map(|workload| problem.extent.in_units(Goal::Acceptance, weight(workload))).sum()
    }
}
