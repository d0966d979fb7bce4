//! The shapes of workloads and the machines of a problem, in whole units.

use super::super::pools::{Grain, Pool};
use super::assortment::Assortment;
use super::budgets::Budgets;
use super::slot::Slot;
use super::view::View;
use crate::instance::{MachineIndex, Problem};
use crate::section::Goal;
use cluster::GpuIndex;
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
    /// What workloads need and machines have, beside what is pinned.
    pub budgets: Budgets,
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
        let budgets = Budgets::new(problem);
        let shared = Assortment::shared(problem, view, &budgets)?;
        let grain = if view.knows_places { Grain::Residents } else { Grain::Machine };
        let pools = Pool::all(problem, &shared.kinds, grain);
        let pool_of: BTreeMap<GpuIndex, usize> = pools
            .iter()
            .enumerate()
            .flat_map(|(position, pool)| pool.gpus.iter().map(move |&gpu| (gpu, position)))
            .collect();
        let mut stock = Stock { budgets, assortments: vec![shared], groups: Vec::new(), pools, pool_of };
        let mut alike: BTreeMap<Likeness, Vec<(MachineIndex, Vec<GpuIndex>)>> = BTreeMap::new();
        for machine in problem.machine_indices() {
            let is_apart = view.apart.is_some_and(|apart| apart.machines.contains(&machine));
            let own = if is_apart { stock.tell_apart(problem, view, machine) } else { None };
            let matter = own.is_some() || view.apart.is_none() || !view.knows_places;
            let capacities = if matter { stock.budgets.capacities(machine) } else { (None, None) };
            let about = problem.machine(machine);
            let hardware = |weight| i64::try_from(problem.extent.in_units(Goal::Hardware, weight)).ok();
            let weights = (hardware(about.weight)?, hardware(about.gpu_weight)?);
            let assortment = own.unwrap_or(0);
            let (slots, gpus) = stock.slots(problem, machine, assortment)?;
            alike.entry((assortment, slots, capacities, weights)).or_default().push((machine, gpus));
        }
        stock.groups =
            alike.into_iter().map(|(likeness, machines)| stock.group(likeness, machines)).collect();
        Some(stock)
    }

    /// Tells apart what a machine holds by what it needs; the position of the shapes. Where even the coarser ones have too many fills, cores and
    /// memory are left out there, too.
    fn tell_apart(&mut self, problem: &Problem, view: View<'_>, machine: MachineIndex) -> Option<usize> {
        let own = [true, false].into_iter().find_map(|has_modest| {
            let shared = &self.assortments[0].kinds;
            let mut own = Assortment::of_machine(problem, view, shared, machine, has_modest, &self.budgets)?;
            let mut gpus = problem.machine(machine).gpus.iter();
            gpus.all(|gpu| own.room(problem, &self.pools[self.pool_of[gpu]]).is_some()).then_some(own)
        })?;
        self.assortments.push(own);
        Some(self.assortments.len() - 1)
    }

    /// The GPUs of a machine, and what they are alike by, in the order of the latter.
    fn slots(
        &mut self,
        problem: &Problem,
        machine: MachineIndex,
        assortment: usize,
    ) -> Option<(Vec<LikeSlot>, Vec<GpuIndex>)> {
        let own = &mut self.assortments[assortment];
        let likeness = |&gpu: &GpuIndex| -> Option<(LikeSlot, GpuIndex)> {
            let position = self.pool_of[&gpu];
            let pool = &self.pools[position];
            let room = own.room(problem, pool)?;
            let saved = own.saved(problem, (position, pool), room, gpu);
            Some(((Reverse(own.runs(gpu)), room, !pool.pinned.is_empty(), saved), gpu))
        };
        let gpus = problem.machine(machine).gpus.iter();
        let mut slots: Vec<(LikeSlot, GpuIndex)> = gpus.map(likeness).collect::<Option<_>>()?;
        slots.sort_by(|one, other| one.0.cmp(&other.0));
        Some(slots.into_iter().unzip())
    }

    /// Machines that are alike.
    fn group(
        &self,
        (assortment, slots, capacities, weights): Likeness,
        machines: Vec<(MachineIndex, Vec<GpuIndex>)>,
    ) -> Group {
        let slot = |(Reverse(residents), room, is_pinned, saved): LikeSlot| Slot {
            fills: self.assortments[assortment].fills(room),
            residents,
            saved,
            is_pinned,
        };
        Group { assortment, machines, slots: slots.into_iter().map(slot).collect(), capacities, weights }
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
