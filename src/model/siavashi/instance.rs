//! A validated, immutable siavashi problem: machines, what counts how much, and what may change.

use super::goal::Goal;
use super::objective::{Extent, NotExact, Objective, Plan};
use super::settings::{ActiveGpus, MigrationCosts, Residents, Settings};
use crate::cluster::{
    Amount, Cluster, GpuIndex, HostIndex, InputError, LARGEST_AMOUNT, Location, SourceText, WorkloadIndex,
};
use crate::mig::Board;
use crate::model::{WeightsTooFine, exact_unit};
use std::sync::Arc;

/// A machine, by its position in [`Problem::machines`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MachineIndex(pub u32);

impl MachineIndex {
    /// The index as a position in the problem's list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A physical machine: a host with its GPUs, or a GPU outside any host, which is a machine of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The host, if it is one.
    pub host: Option<HostIndex>,
    /// Its GPUs in the cluster's order.
    pub gpus: Vec<GpuIndex>,
    /// CPU capacity C_j in cores; `None` when it is not limited.
    pub cpu: Option<Amount>,
    /// Main memory capacity R_j in the unit of the cluster; `None` when it is not limited.
    pub memory: Option<Amount>,
    /// Weight b_j as printed: of the machine and of each of its GPUs.
    pub printed_weight: Amount,
    /// What the machine itself counts when it is in use.
    pub weight: Amount,
    /// What each of its GPUs counts when it is in use.
    pub gpu_weight: Amount,
}

impl Machine {
    /// CPU and main memory, each `None` when it is not limited.
    pub fn capacities(&self) -> (Option<Amount>, Option<Amount>) {
        (self.cpu, self.memory)
    }
}

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
    /// How programs express that.
    pub plan: Plan,
}

impl Problem {
    /// Applies the settings to a cluster.
    ///
    /// # Errors
    /// Negative or disordered migration costs, weights too fine to be exact.
    pub fn new(source: &SourceText, cluster: Arc<Cluster>, settings: &Settings) -> Result<Self, InputError> {
        check_costs(source, &settings.migration_costs)?;
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
            .map(|workload| workload.acceptance_weight.unwrap_or(Amount::ONE))
            .collect();
        let migration: Vec<Amount> = cluster
            .workloads
            .iter()
            .map(|workload| match workload.current {
                Some(_) => workload.migration_weight.unwrap_or(Amount::ONE),
                None => Amount::ZERO,
            })
            .collect();
        let fails = |key: &[&str], what: String| source.error_at_key(key, what);
        let costs = settings.migration_costs;
        let extent =
            extent(&machines, &acceptance, &migration, &costs).map_err(|(keys, what)| fails(keys, what))?;
        let plan = Plan::new(&settings.objective, extent)
            .map_err(|error: NotExact| fails(&["siavashi", "objective"], format!("{error}.")))?;
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
            plan,
        })
    }

    /// The same problem with these goals one after the other.
    pub fn with_goals(&self, goals: Vec<Goal>) -> Self {
        let mut problem = self.clone();
        problem.plan = self.plan.with_goals(&goals);
        problem.objective = Objective::Lexicographic(goals);
        problem
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
        weighted(cost, self.migration_weight(workload))
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

fn machines(cluster: &Cluster, active_gpus: ActiveGpus) -> Vec<Machine> {
    let machine = |host: Option<HostIndex>, gpus: Vec<GpuIndex>| {
        let about = host.map(|host| &cluster.hosts[host.index()]);
        let each = about.and_then(|host| host.weight).unwrap_or(Amount::ONE);
        let (weight, gpu_weight) = match active_gpus {
            ActiveGpus::Used => (each, each),
            ActiveGpus::WholeMachine => (each * (1 + gpus.len() as i128), Amount::ZERO),
        };
        Machine {
            host,
            gpus,
            cpu: about.and_then(|host| host.cpu),
            memory: about.and_then(|host| host.memory),
            printed_weight: each,
            weight,
            gpu_weight,
        }
    };
    let mut of_host = vec![Vec::new(); cluster.hosts.len()];
    let mut alone = Vec::new();
    for gpu in cluster.gpu_indices() {
        match cluster.gpus[gpu.index()].host {
            Some(host) => of_host[host.index()].push(gpu),
            None => alone.push(gpu),
        }
    }
    let hosts = of_host.into_iter().enumerate().map(|(host, gpus)| machine(Some(HostIndex::at(host)), gpus));
    hosts.chain(alone.into_iter().map(|gpu| machine(None, vec![gpu]))).collect()
}

/// Units and greatest values of the goals; else what is wrong, and under which keys.
fn extent(
    machines: &[Machine],
    acceptance: &[Amount],
    migration: &[Amount],
    costs: &MigrationCosts,
) -> Result<Extent, (&'static [&'static str], String)> {
    let unit = |keys: &'static [&'static str], weights: &[Amount], most: Amount| {
        let located = |error: WeightsTooFine| (keys, format!("`{}`: {error}.", keys[keys.len() - 1]));
        exact_unit(weights, most, "Use coarser weights").map_err(located)
    };
    let hardware: Vec<Amount> =
        machines.iter().flat_map(|machine| [machine.weight, machine.gpu_weight]).collect();
    let most_expensive = costs.named().map(|(_, cost)| cost).into_iter().max().unwrap_or_default();
    let products = products(migration, costs).map_err(|what| (COSTS, what))?;
    let most = [
        acceptance.iter().copied().sum(),
        machines.iter().map(|machine| machine.weight + machine.gpu_weight * machine.gpus.len() as i128).sum(),
        migration.iter().map(|&weight| weighted(most_expensive, weight)).sum(),
    ];
    let units = [
        unit(&["workloads", "acceptance_weight"], acceptance, most[0])?,
        unit(&["hosts", "weight"], &hardware, most[1])?,
        unit(COSTS, &products, most[2])?,
    ];
    Ok(Extent { units, most })
}

/// Where the migration costs stand in a file.
const COSTS: &[&str] = &["siavashi", "migration_costs"];

/// What each change costs for each workload.
fn products(migration: &[Amount], costs: &MigrationCosts) -> Result<Vec<Amount>, String> {
    let pairs = migration.iter().flat_map(|&weight| costs.named().map(|(_, cost)| (weight, cost)));
    let products = pairs.map(|(weight, cost)| {
        cost.product(weight).ok_or_else(|| {
            format!(
                "a migration cost of {cost} times a `migration_weight` of {weight} has more than six digits after the decimal \
                 point. Use coarser numbers."
            )
        })
    });
    products.collect()
}

/// A cost times a weight, both checked to have an exact product.
fn weighted(cost: Amount, weight: Amount) -> Amount {
    cost.product(weight).expect("every cost has an exact product with every weight")
}

/// No cost may be negative, and the more far-reaching of two changes may not be the cheaper one: identical workloads that
/// change places are then never counted too high.
fn check_costs(source: &SourceText, costs: &MigrationCosts) -> Result<(), InputError> {
    for (name, cost) in costs.named() {
        let rule = match cost {
            _ if cost.is_negative() => "not be negative. Use 0 or more",
            _ if cost >= Amount::whole(LARGEST_AMOUNT) => "be smaller than 10^15. Use a larger unit",
            _ => continue,
        };
        let message = format!("`siavashi.migration_costs.{name}` is {cost} but must {rule}.");
        return Err(source.error_at_key(&["siavashi", "migration_costs", name], message));
    }
    let moves = &costs.named()[..3];
    for pair in moves.windows(2) {
        let ((far, more), (near, less)) = (pair[0], pair[1]);
        if less > more {
            let message = format!(
                "`siavashi.migration_costs.{near}` is {less} but must not exceed `{far}`, which is {more}: the longer way \
                 includes the shorter one. Lower the former or raise the latter."
            );
            return Err(source.error_at_key(&["siavashi", "migration_costs", near], message));
        }
    }
    Ok(())
}

/// The goals' values of something, in the order of [`Goal::ALL`].
pub type Values = [Amount; Goal::ALL.len()];
