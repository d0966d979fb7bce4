//! A validated, immutable siavashi problem: machines, what counts how much, and what may change.

mod costs;
mod extent;
mod machine;
mod weighted_sum;

pub use extent::{Extent, Values};
pub use machine::{Machine, MachineIndex};
pub use weighted_sum::{NotExact, WeightedSum};

use crate::section::{ActiveGpus, Goal, MigrationCosts, Objective, Residents, Settings};
use cluster::{Cluster, GpuIndex, Location, WorkloadIndex};
use ground::{Amount, InputError, SourceText};
use machine::machines;
use mig::Board;
use std::sync::Arc;

/// A siavashi problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The cluster.
    pub cluster: Arc<Cluster>,
    /// The physical machines, those that are hosts first.
    pub machines: Vec<Machine>,
    /// The machine of every GPU.
    machine_of: Vec<MachineIndex>,
    /// Weights a_i of all workloads.
    acceptance: Vec<Amount>,
    /// Weights delta_i of all workloads, 0 for newcomers.
    migration: Vec<Amount>,
    /// Whether residents may lose their place.
    pub residents: Residents,
    /// Which GPUs count as hardware in use.
    pub active_gpus: ActiveGpus,
    /// What changes of residents cost.
    pub costs: MigrationCosts,
    /// How the goals are combined.
    pub objective: Objective,
    /// Units and greatest values of the goals.
    pub extent: Extent,
    /// The weighted sum, where that is the objective.
    sum: Option<WeightedSum>,
}

impl Problem {
    /// Applies the settings to a cluster.
    ///
    /// # Errors
    /// GPUs out of service, negative or disordered migration costs, weights too fine to be exact.
    pub fn new(source: &SourceText, cluster: Arc<Cluster>, settings: &Settings) -> Result<Self, InputError> {
        cluster.refuse_rules(source, "model siavashi", &[], "Leave the rule out, or use model wpm.")?;
        costs::check(source, &settings.migration_costs)?;
        let machines = machines(&cluster, settings.active_gpus);
        let mut machine_of = vec![MachineIndex(0); cluster.gpus.len()];
        for (index, machine) in (0..).map(MachineIndex).zip(&machines) {
            for gpu in &machine.gpus {
                machine_of[gpu.index()] = index;
            }
        }
        let acceptance: Vec<Amount> = cluster
            .workloads
            .iter()
            .map(|workload| workload.particulars().acceptance_weight.unwrap_or(Amount::ONE))
            .collect();
        let migration: Vec<Amount> = cluster
            .workloads
            .iter()
            .map(|workload| match workload.current {
                Some(_) => workload.particulars().migration_weight.unwrap_or(Amount::ONE),
                None => Amount::ZERO,
            })
            .collect();
        let fails = |key: &[&str], what: String| source.error_at_key(key, what);
        let costs = settings.migration_costs;
        let extent = Extent::new(&machines, &acceptance, &migration, &costs)
            .map_err(|(keys, what)| fails(keys, what))?;
        let sum = match settings.objective {
            Objective::Lexicographic(_) => None,
            Objective::Weighted(weights) => {
                let sum = WeightedSum::new(weights, extent);
                Some(sum.map_err(|error| fails(&["siavashi", "objective"], format!("{error}.")))?)
            }
        };
        Ok(Problem {
            cluster,
            machines,
            machine_of,
            acceptance,
            migration,
            residents: settings.residents,
            active_gpus: settings.active_gpus,
            costs,
            objective: settings.objective.clone(),
            extent,
            sum,
        })
    }

    /// The same problem with these goals one after the other.
    pub fn with_goals(&self, goals: Vec<Goal>) -> Self {
        Problem { objective: Objective::Lexicographic(goals), sum: None, ..self.clone() }
    }

    /// The weighted sum of the goals, where that is the objective.
    pub fn weighted_sum(&self) -> Option<&WeightedSum> {
        self.sum.as_ref()
    }

    /// The machine of a GPU.
    pub fn machine_of(&self, gpu: GpuIndex) -> MachineIndex {
        self.machine_of[gpu.index()]
    }

    /// A machine.
    pub fn machine(&self, machine: MachineIndex) -> &Machine {
        &self.machines[machine.index()]
    }

    /// All machines, in order.
    pub fn machine_indices(&self) -> impl Iterator<Item = MachineIndex> + use<> {
        (0..self.machines.len() as u32).map(MachineIndex)
    }

    /// A machine's name: that of the host, or of the GPU.
    pub fn machine_name(&self, machine: MachineIndex) -> &str {
        let machine = self.machine(machine);
        match machine.host {
            Some(host) => &self.cluster.hosts[host.index()].name,
            None => &self.cluster.gpus[machine.gpus[0].index()].name,
        }
    }

    /// Board of a GPU.
    pub fn board(&self, gpu: GpuIndex) -> &Board {
        self.cluster.board_of(gpu)
    }

    /// Where a workload runs now.
    pub fn current(&self, workload: WorkloadIndex) -> Option<Location> {
        self.cluster.workloads[workload.index()].current
    }

    /// Whether a workload runs and may not be touched.
    pub fn is_pinned(&self, workload: WorkloadIndex) -> bool {
        let workload = &self.cluster.workloads[workload.index()];
        workload.current.is_some() && !workload.movable
    }

    /// Whether a workload runs and must keep a place.
    pub fn must_stay(&self, workload: WorkloadIndex) -> bool {
        self.is_pinned(workload) || (self.current(workload).is_some() && self.residents == Residents::Keep)
    }

    /// Weight a_i of a workload.
    pub fn acceptance_weight(&self, workload: WorkloadIndex) -> Amount {
        self.acceptance[workload.index()]
    }

    /// Weight delta_i of a workload, 0 for a newcomer.
    pub fn migration_weight(&self, workload: WorkloadIndex) -> Amount {
        self.migration[workload.index()]
    }

    /// A cost of [`Problem::costs`] as it applies to a workload: times its weight delta_i.
    pub fn weighted(&self, cost: Amount, workload: WorkloadIndex) -> Amount {
        costs::weighted(cost, self.migration_weight(workload))
    }

    /// Whether another start on the same GPU costs something.
    pub fn starts_cost(&self) -> bool {
        self.costs.move_start > Amount::ZERO
    }

    /// Workloads that no machine can take even when it is empty, because of the profile, the cores or the memory.
    pub fn never_placeable(&self) -> impl Iterator<Item = WorkloadIndex> + '_ {
        self.cluster.workload_indices().filter(|&workload| {
            let request = &self.cluster.workloads[workload.index()];
            let on_board = &self.cluster.requests[request.request.index()].on_board;
            !self.machines.iter().any(|machine| {
                machine.cpu.is_none_or(|cpu| request.cpu <= cpu)
                    && machine.memory.is_none_or(|memory| request.memory <= memory)
                    && machine
                        .gpus
                        .iter()
                        .any(|gpu| on_board[self.cluster.gpus[gpu.index()].board.index()].is_some())
            })
        })
    }
}
