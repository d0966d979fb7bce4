//! A validated, immutable siavashi problem: machines, what counts how much, and what may change.

mod costs;
mod extent;
mod limits;
mod machine;
mod weighted_sum;

pub use extent::{Extent, Values};
pub use limits::Limits;
pub use machine::{Machine, MachineIndex};
pub use weighted_sum::{NotExact, WeightedSum};

use crate::section::{ActiveGpus, Goal, MigrationCosts, Objective, Residents, Settings};
use cluster::{Cluster, GpuIndex, Group, Location, Maintenance, Part, SiteKind, WorkloadIndex};
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
    /// How much may change at most.
    pub limits: Limits,
    /// Whether any rule restricts placements beside the hardware.
    has_rules: bool,
    /// Who is pinned, by itself or with its group.
    pinned: Vec<bool>,
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
    /// Pins that contradict a group, negative or disordered migration costs, weights too fine to be exact.
    pub fn new(source: &SourceText, cluster: Arc<Cluster>, settings: &Settings) -> Result<Self, InputError> {
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
        let limits =
            Limits { max_migrations: settings.max_migrations, max_disrupted: settings.max_disrupted };
        let has_rules = limits != Limits::default() || cluster.placement_rules().next().is_some();
        let is_pin = |workload: &cluster::Workload| workload.current.is_some() && !workload.movable;
        let mut pinned: Vec<bool> = cluster.workloads.iter().map(is_pin).collect();
        cluster.spread_pins(&mut pinned);
        cluster.check_pins(source, |workload| pinned[workload.index()])?;
        Ok(Problem {
            cluster,
            limits,
            has_rules,
            pinned,
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

    /// Whether a workload runs and may not be touched: it is not movable, or counts as one with something that is not.
    pub fn is_pinned(&self, workload: WorkloadIndex) -> bool {
        self.pinned[workload.index()]
    }

    /// Whether a workload runs and may be moved.
    pub fn is_resident(&self, workload: WorkloadIndex) -> bool {
        self.current(workload).is_some() && !self.is_pinned(workload)
    }

    /// What a placement decides about a workload.
    pub fn part(&self, workload: WorkloadIndex) -> Part {
        match (self.is_pinned(workload), self.current(workload)) {
            (true, _) => Part::Pinned,
            (false, Some(_)) => Part::Resident,
            (false, None) => Part::Newcomer,
        }
    }

    /// Whether any rule restricts where workloads may be, or how much may change, beside the hardware, pins, and residents that keep
    /// a place: GPUs out of service, nodes, groups, budgets.
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// Whether the rules let a workload that is not pinned start on a GPU.
    pub fn may_start_on(&self, workload: WorkloadIndex, gpu: GpuIndex) -> bool {
        !self.has_rules
            || (self.maintenance(gpu) == Maintenance::InService && self.cluster.admits(workload, gpu))
    }

    /// Whether the rules let a workload that is not pinned stay in its slot, were that on a GPU.
    pub fn may_stay_on(&self, workload: WorkloadIndex, gpu: GpuIndex) -> bool {
        !self.has_rules
            || (self.maintenance(gpu) != Maintenance::Draining && self.cluster.admits(workload, gpu))
    }

    /// Whether the rules let a workload that is not pinned have a place.
    pub fn may_be_at(&self, workload: WorkloadIndex, place: Location) -> bool {
        let stays = || self.current(workload) == Some(place) && self.may_stay_on(workload, place.gpu);
        self.may_start_on(workload, place.gpu) || stays()
    }

    /// Whether a workload that may be moved cannot stay where it runs now.
    pub fn must_leave(&self, workload: WorkloadIndex) -> bool {
        self.has_rules
            && self.is_resident(workload)
            && self.current(workload).is_some_and(|place| !self.may_stay_on(workload, place.gpu))
    }

    /// Whether a GPU is in service.
    pub fn maintenance(&self, gpu: GpuIndex) -> Maintenance {
        self.cluster.gpus[gpu.index()].maintenance
    }

    /// Whether the limit of migrations forbids any placement.
    pub fn bounds_migrations(&self) -> bool {
        let residents = || self.cluster.workload_indices().filter(|&workload| self.is_resident(workload));
        self.limits.max_migrations.is_some_and(|most| residents().count() > most as usize)
    }

    /// Whether a limit of disruptions forbids any placement.
    pub fn bounds_disruptions(&self) -> bool {
        let hosts = &self.cluster.hosts;
        if self.limits.max_disrupted.is_none() && hosts.iter().all(|host| host.max_disrupted.is_none()) {
            return false;
        }
        let (mut all, mut by_host) = (0, vec![0; hosts.len()]);
        for workload in self.cluster.workload_indices().filter(|&workload| self.is_resident(workload)) {
            all += 1;
            let place = self.current(workload).expect("residents run");
            if let Some(host) = self.cluster.gpus[place.gpu.index()].host {
                by_host[host.index()] += 1;
            }
        }
        let exceeds = |most: Option<u32>, residents: u32| most.is_some_and(|most| residents > most);
        exceeds(self.limits.max_disrupted, all)
            || hosts.iter().zip(by_host).any(|(host, residents)| exceeds(host.max_disrupted, residents))
    }

    /// Whether a group asks something of single GPUs, so that no two of them are alike.
    pub fn tells_gpus_apart(&self) -> bool {
        let asks = |group: &Group| [group.rules.apart, group.rules.together].contains(&Some(SiteKind::Gpu));
        self.cluster.groups.iter().any(asks)
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

    /// Workloads that no machine can take even when it is empty, because of the profile, the cores, the memory or the rules.
    pub fn never_placeable(&self) -> impl Iterator<Item = WorkloadIndex> + '_ {
        self.cluster.workload_indices().filter(|&workload| {
            let request = &self.cluster.workloads[workload.index()];
            let on_board = &self.cluster.requests[request.request.index()].on_board;
            !self.machines.iter().any(|machine| {
                machine.cpu.is_none_or(|cpu| request.cpu <= cpu)
                    && machine.memory.is_none_or(|memory| request.memory <= memory)
                    && machine.gpus.iter().any(|&gpu| {
                        on_board[self.cluster.gpus[gpu.index()].board.index()].is_some()
                            && (self.current(workload).is_some() || self.may_start_on(workload, gpu))
                    })
            })
        })
    }
}
