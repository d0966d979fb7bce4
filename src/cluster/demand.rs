//! CPU and main memory in whole units, so that programs hold whole numbers.

use super::{Cluster, Workload, WorkloadIndex};
use ground::Amount;

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

/// CPU or main memory where it is limited.
pub struct Resource {
    /// `cpu` or `memory`.
    pub name: &'static str,
    /// What there is, in units, rounded down: demands are whole.
    pub capacity: f64,
    unit: Amount,
    amount: fn(&Workload) -> Amount,
}

impl Demands {
    /// The units of a cluster's workloads.
    pub fn of(cluster: &Cluster) -> Self {
        let demand = |amount: fn(&Workload) -> Amount| {
            let amounts = || cluster.workloads.iter().map(amount);
            Demand { unit: Amount::greatest_common_unit(amounts()), total: amounts().sum() }
        };
        Demands { cpu: demand(CPU), memory: demand(MEMORY) }
    }

    /// What is limited, given CPU and main memory of each of some hosts; what suffices for everything is no limit.
    pub fn limited(
        &self,
        hosts: &[(Option<Amount>, Option<Amount>)],
    ) -> impl Iterator<Item = Resource> + use<> {
        let resource = |name, capacities: Option<Vec<Amount>>, demand: Demand, amount| {
            let capacities = capacities?;
            if capacities.iter().copied().sum::<Amount>() >= demand.total {
                return None;
            }
            // Each host holds a whole number of units.
            let units = |capacity: Amount| capacity.millionths() / demand.unit.millionths();
            let capacity = capacities.into_iter().map(units).sum::<i128>() as f64;
            Some(Resource { name, capacity, unit: demand.unit, amount })
        };
        let cpu = resource("cpu", hosts.iter().map(|host| host.0).collect(), self.cpu, CPU);
        let memory = resource("memory", hosts.iter().map(|host| host.1).collect(), self.memory, MEMORY);
        [cpu, memory].into_iter().flatten()
    }
}

impl Resource {
    /// What a workload needs of it, in units.
    pub fn of_workload(&self, cluster: &Cluster, workload: WorkloadIndex) -> f64 {
        let demand = (self.amount)(&cluster.workloads[workload.index()]);
        demand.in_units_of(self.unit).expect("every demand is a multiple of the unit") as f64
    }
}
