//! Cores and main memory: what workloads need, and what machines have left.

use crate::instance::{MachineIndex, Problem};
use cluster::{Demands, Resource, WorkloadIndex};
use ground::Amount;
use std::collections::BTreeMap;

/// Cores and main memory, in units.
pub type Needs = [i64; 2];

/// More than all workloads need together.
const UNLIMITED: i64 = i64::MAX / 4;

/// What workloads need and machines have left.
pub struct Budgets {
    needs: Vec<Needs>,
    /// What all machines have where it is limited; at least 1.
    has: [f64; 2],
    left: BTreeMap<MachineIndex, Needs>,
}

/// By how much one needs more than another.
pub fn difference(one: Needs, other: Needs) -> Needs {
    [0, 1].map(|resource| one[resource] - other[resource])
}

impl Budgets {
    /// The machines hold what is pinned there, and nothing else.
    pub fn new(problem: &Problem) -> Self {
        let demands = Demands::of(&problem.cluster);
        let resources: Vec<Resource> = demands.limited(&[(Some(Amount::ZERO), Some(Amount::ZERO))]).collect();
        let position = |resource: &Resource| usize::from(resource.name == "memory");
        let needs = |workload: WorkloadIndex| {
            let mut needs = [0; 2];
            for resource in &resources {
                needs[position(resource)] = resource.of_workload(&problem.cluster, workload) as i64;
            }
            needs
        };
        let needs = problem.cluster.workload_indices().map(needs).collect();
        let mut budgets = Budgets { needs, has: [1.0; 2], left: BTreeMap::new() };
        for machine in problem.machine_indices() {
            let mut left = [UNLIMITED; 2];
            for resource in demands.limited(&[problem.machine(machine).capacities()]) {
                left[position(&resource)] = resource.capacity as i64;
                budgets.has[position(&resource)] += resource.capacity;
            }
            budgets.left.insert(machine, left);
        }
        for workload in problem.cluster.workload_indices().filter(|&workload| problem.is_pinned(workload)) {
            let place = problem.current(workload).expect("pinned workloads run");
            budgets.take(problem.machine_of(place.gpu), budgets.of(workload));
        }
        budgets
    }

    /// What a workload needs.
    pub fn of(&self, workload: WorkloadIndex) -> Needs {
        self.needs[workload.index()]
    }

    /// Which part needs are of all that there is.
    pub fn size(&self, needs: Needs) -> f64 {
        (0..2).map(|resource| needs[resource] as f64 / self.has[resource]).sum()
    }

    /// The same of a workload.
    pub fn size_of(&self, workload: WorkloadIndex) -> f64 {
        self.size(self.of(workload))
    }

    /// A machine gives so much.
    pub fn take(&mut self, machine: MachineIndex, needs: Needs) {
        let left = self.left.get_mut(&machine).expect("it is a machine");
        *left = difference(*left, needs);
    }

    /// By how much a machine lacks cores and memory, if it gives so much more.
    pub fn lack(&self, machine: MachineIndex, more: Needs) -> f64 {
        let left = &self.left[&machine];
        (0..2).map(|resource| (more[resource] - left[resource]).max(0) as f64 / self.has[resource]).sum()
    }

    /// What a machine has to spare of what it has least of, beside so much.
    pub fn spare(&self, machine: MachineIndex, needs: [f64; 2]) -> f64 {
        let left = &self.left[&machine];
        let of = |resource: usize| (left[resource] as f64 - needs[resource]) / self.has[resource];
        of(0).min(of(1))
    }

    /// The machines that lack cores or memory, those first that lack most.
    pub fn lacking(&self) -> Vec<MachineIndex> {
        let is_short = |left: &Needs| left.iter().any(|&left| left < 0);
        let lacking = self.left.iter().filter(|(_, left)| is_short(left)).map(|(&machine, _)| machine);
        let mut lacking: Vec<MachineIndex> = lacking.collect();
        lacking.sort_by(|&one, &other| self.lack(other, [0; 2]).total_cmp(&self.lack(one, [0; 2])));
        lacking
    }
}
