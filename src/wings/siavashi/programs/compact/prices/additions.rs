//! What stays on each GPU and what comes to it, as contents of machines say.

use super::budgets::{Budgets, Needs, difference};
use super::content::Content;
use super::slot::Slot;
use super::stock::{Group, Stock};
use crate::instance::{MachineIndex, Problem};
use cluster::{GpuIndex, WorkloadIndex};
use prices::Chosen;
use std::collections::BTreeMap;

/// GPUs to which the same may come.
#[derive(PartialEq)]
pub struct Class<'s> {
    /// The position of the shapes that are told apart there.
    pub assortment: usize,
    /// What they can hold, and hold now.
    pub slot: &'s Slot,
    /// What stays there, by shape.
    pub stays: Vec<(usize, u32)>,
}

/// What comes to a GPU, perhaps nothing.
#[derive(Clone)]
pub struct Addition {
    /// The number of the GPU's class.
    pub class: usize,
    /// The only machine to which it may come: where something leaves a GPU, and where more shapes are told apart.
    pub only: Option<MachineIndex>,
    /// How many more are to come of each shape that all machines share.
    pub missing: Vec<(usize, u32)>,
    /// What comes.
    pub workloads: Vec<WorkloadIndex>,
    /// What that needs.
    pub needs: Needs,
    /// What the GPU then holds, by shape.
    pub held: BTreeMap<usize, u32>,
}

impl Addition {
    /// Adds a workload that is among what the GPU holds.
    pub fn take(&mut self, budgets: &Budgets, workload: WorkloadIndex) {
        self.workloads.push(workload);
        self.needs = difference(self.needs, budgets.of(workload).map(|needs| -needs));
    }

    /// Adds a workload of a shape to what the GPU holds.
    pub fn add(&mut self, budgets: &Budgets, workload: WorkloadIndex, shape: usize) {
        self.take(budgets, workload);
        *self.held.entry(shape).or_default() += 1;
    }

    /// Takes a workload of a shape away.
    pub fn remove(&mut self, budgets: &Budgets, workload: WorkloadIndex, shape: usize) {
        self.workloads.retain(|&other| other != workload);
        self.needs = difference(self.needs, budgets.of(workload));
        *self.held.get_mut(&shape).expect("it is there") -= 1;
        self.held.retain(|_, number| *number > 0);
    }

    /// Whether the GPU can hold another workload of a shape.
    pub fn has_room(&self, classes: &[Class<'_>], shape: usize) -> bool {
        let mut held = self.held.clone();
        *held.entry(shape).or_default() += 1;
        let held: Vec<(usize, u32)> = held.into_iter().collect();
        classes[self.class].slot.fills.number_of(&held).is_some()
    }
}

/// What contents of machines say.
#[derive(Default)]
pub struct Changes<'s> {
    /// The classes of GPUs.
    pub classes: Vec<Class<'s>>,
    /// The GPUs in use, by machine, with their classes.
    pub open: BTreeMap<MachineIndex, Vec<(usize, GpuIndex)>>,
    /// What comes to these.
    pub additions: Vec<Addition>,
    /// What stays on each.
    pub stay: BTreeMap<GpuIndex, Vec<WorkloadIndex>>,
    /// What leaves its machine.
    pub leave: Vec<WorkloadIndex>,
}

/// By GPU: what runs there now, by shape.
type Running = BTreeMap<GpuIndex, BTreeMap<usize, Vec<WorkloadIndex>>>;

impl<'s> Changes<'s> {
    /// What the chosen contents say.
    pub fn new(
        problem: &Problem,
        stock: &'s Stock,
        chosen: &[Chosen<Content>],
        budgets: &mut Budgets,
    ) -> Self {
        let running = |assortment: usize| -> Running {
            let mut running = Running::new();
            for (shape, kind) in stock.assortments[assortment].kinds.iter().enumerate() {
                for &workload in &kind.members {
                    let Some(place) = problem.current(workload) else { continue };
                    running.entry(place.gpu).or_default().entry(shape).or_default().push(workload);
                }
            }
            running
        };
        let running: Vec<Running> = (0..stock.assortments.len()).map(running).collect();
        let mut changes = Changes::default();
        for (number, group) in stock.groups.iter().enumerate() {
            let own = chosen.iter().filter(|chosen| chosen.part == number);
            let contents =
                own.flat_map(|chosen| std::iter::repeat_n(&chosen.content, chosen.number as usize));
            for (content, about) in contents.zip(&group.machines) {
                changes.of_machine(stock, group, about, content, &running[group.assortment], budgets);
            }
        }
        changes
    }

    fn of_machine(
        &mut self,
        stock: &Stock,
        group: &'s Group,
        (machine, gpus): &(MachineIndex, Vec<GpuIndex>),
        content: &Content,
        running: &Running,
        budgets: &mut Budgets,
    ) {
        let first = self.additions.len();
        let mut leave: BTreeMap<usize, Vec<WorkloadIndex>> = BTreeMap::new();
        for ((&gpu, slot), &fill) in gpus.iter().zip(&group.slots).zip(&content.fills) {
            let held: BTreeMap<usize, u32> = slot.fills.all[fill as usize].counts.iter().copied().collect();
            let mut missing = held.clone();
            let mut stays: Vec<(usize, u32)> = Vec::new();
            for (&shape, runs) in running.get(&gpu).into_iter().flatten() {
                // Of those that are alike the most modest stay.
                let mut runs = runs.clone();
                runs.sort_by_key(|&workload| (budgets.of(workload), workload));
                let number = held.get(&shape).map_or(0, |&number| runs.len().min(number as usize));
                leave.entry(shape).or_default().extend(runs.split_off(number));
                for workload in runs {
                    budgets.take(*machine, budgets.of(workload));
                    self.stay.entry(gpu).or_default().push(workload);
                }
                if number > 0 {
                    *missing.get_mut(&shape).expect("some stay") -= number as u32;
                    stays.push((shape, number as u32));
                }
            }
            if held.is_empty() {
                continue;
            }
            let class = self.class(Class { assortment: group.assortment, slot, stays });
            let missing = missing.into_iter().filter(|(_, number)| *number > 0).collect();
            let only = (group.assortment > 0).then_some(*machine);
            let (workloads, needs) = (Vec::new(), [0; 2]);
            self.additions.push(Addition { class, only, missing, workloads, needs, held });
            self.open.entry(*machine).or_default().push((class, gpu));
        }
        let shapes = &stock.assortments[group.assortment].shapes;
        for addition in &mut self.additions[first..] {
            if leave.values().any(|leave| !leave.is_empty()) {
                addition.only = Some(*machine);
            }
            // What leaves a GPU comes to another one of the machine first.
            let mut missing = std::mem::take(&mut addition.missing);
            for (shape, number) in &mut missing {
                while *number > 0
                    && let Some(workload) = leave.get_mut(shape).and_then(Vec::pop)
                {
                    *number -= 1;
                    addition.take(budgets, workload);
                }
                *shape = shapes[*shape].total;
            }
            addition.missing = missing;
        }
        self.leave.extend(leave.into_values().flatten());
    }

    /// The number of a class.
    fn class(&mut self, class: Class<'s>) -> usize {
        self.classes.iter().position(|other| *other == class).unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        })
    }
}
