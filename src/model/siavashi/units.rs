//! CPU and main memory in whole units, so that programs hold whole numbers.

use super::instance::{Machine, Problem};
use crate::cluster::{Amount, Workload, WorkloadIndex};

const CPU: fn(&Workload) -> Amount = |workload| workload.cpu;
const MEMORY: fn(&Workload) -> Amount = |workload| workload.memory;

/// What all workloads need together, and the greatest amounts of which every demand is a whole multiple.
pub struct Demands {
    cpu: Demand,
    memory: Demand,
}

#[derive(Clone, Copy)]
struct Demand {
    unit: Amount,
    total: Amount,
}

/// CPU or main memory of a machine that limits it.
pub struct Resource {
    /// `cpu` or `memory`.
    pub name: &'static str,
    /// What the machine has, in units, rounded down: demands are whole.
    pub capacity: f64,
    unit: Amount,
    amount: fn(&Workload) -> Amount,
}

impl Demands {
    /// The units of a problem.
    pub fn of(problem: &Problem) -> Self {
        let demand = |amount: fn(&Workload) -> Amount| {
            let amounts = || problem.cluster.workloads.iter().map(amount);
            Demand { unit: Amount::greatest_common_unit(amounts()), total: amounts().sum() }
        };
        Demands { cpu: demand(CPU), memory: demand(MEMORY) }
    }

    /// What a machine limits; a capacity that suffices for everything is none.
    pub fn limited(&self, machine: &Machine) -> impl Iterator<Item = Resource> {
        let resource = |name, capacity: Option<Amount>, demand: Demand, amount| {
            let capacity = capacity.filter(|&capacity| capacity < demand.total)?;
            let units = capacity.millionths() / demand.unit.millionths();
            Some(Resource { name, capacity: units as f64, unit: demand.unit, amount })
        };
        let cpu = resource("cpu", machine.cpu, self.cpu, CPU);
        let memory = resource("memory", machine.memory, self.memory, MEMORY);
        [cpu, memory].into_iter().flatten()
    }
}

impl Resource {
    /// What a workload needs of it, in units.
    pub fn of_workload(&self, problem: &Problem, workload: WorkloadIndex) -> f64 {
        let demand = (self.amount)(&problem.cluster.workloads[workload.index()]);
        demand.in_units_of(self.unit).expect("every demand is a multiple of the unit") as f64
    }
}
