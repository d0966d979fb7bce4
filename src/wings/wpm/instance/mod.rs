//! A validated, immutable wpm problem: the cluster, who takes part, and what counts how much.

mod costs;
mod limits;
mod roles;

pub use costs::{Costs, PerBoard};
pub use limits::Limits;
pub use roles::{GpuRole, Role};

use crate::section::{Objective, Settings, UseCase};
use cluster::{BoardIndex, ByGpu, Cluster, GpuIndex, Maintenance, WorkloadIndex};
use ground::{InputError, SourceText};
use mig::{Board, GpuInstance};
use std::sync::Arc;

/// A wpm problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The cluster.
    pub cluster: Arc<Cluster>,
    /// Which workloads and GPUs take part.
    pub use_case: UseCase,
    /// How the goals are combined.
    pub objective: Objective,
    /// Whether leaving a decided workload without a place is forbidden.
    pub place_all: bool,
    /// How much may change at most, and what counts as a change.
    pub limits: Limits,
    /// Whether cores and memory of the hosts restrict what they carry.
    pub host_resources: bool,
    /// Resolved rewards and costs.
    pub costs: Costs,
    /// Role of every workload.
    pub roles: Vec<Role>,
    /// Role of every GPU.
    pub gpu_roles: Vec<GpuRole>,
    /// Workloads now on every GPU.
    pub residents: ByGpu,
}

impl Problem {
    /// Applies the settings to a cluster.
    ///
    /// # Errors
    /// Costs for boards that the cluster does not use, weights too large to be exact.
    pub fn new(source: &SourceText, cluster: Arc<Cluster>, settings: &Settings) -> Result<Self, InputError> {
        let use_case = settings.use_case;
        let mut roles: Vec<Role> = cluster
            .workloads
            .iter()
            .map(|workload| match (workload.current, use_case) {
                (Some(_), UseCase::Initial) => Role::Pinned,
                (Some(_), _) if !workload.movable => Role::Pinned,
                (Some(_), _) => Role::Resident,
                (None, UseCase::Initial | UseCase::Joint) => Role::Newcomer,
                (None, UseCase::Compaction | UseCase::Reconfiguration) => Role::NotConsidered,
            })
            .collect();
        let mut pinned: Vec<bool> = roles.iter().map(|role| *role == Role::Pinned).collect();
        cluster.spread_pins(&mut pinned);
        for (role, _) in roles.iter_mut().zip(pinned).filter(|(_, pinned)| *pinned) {
            *role = Role::Pinned;
        }
        let residents = cluster.current_placement().by_gpu(&cluster);
        let gpu_roles: Vec<GpuRole> = residents
            .iter()
            .zip(&cluster.gpus)
            .map(|(on_gpu, gpu)| match on_gpu {
                [] if use_case == UseCase::Compaction || !gpu.maintenance.is_in_service() => {
                    GpuRole::NotConsidered
                }
                [] => GpuRole::Free,
                list if list.iter().any(|workload| roles[workload.index()] == Role::Pinned) => {
                    GpuRole::Pinned
                }
                _ => GpuRole::Occupied,
            })
            .collect();
        let costs = Costs::resolve(source, &cluster, settings, &roles, &gpu_roles)?;
        let (objective, place_all) = (settings.objective.clone(), settings.place_all);
        let limits = Limits {
            max_migrations: settings.max_migrations,
            max_disrupted: settings.max_disrupted,
            shifts: settings.shifts,
        };
        let host_resources = settings.host_resources;
        let problem = Problem {
            cluster,
            use_case,
            objective,
            place_all,
            limits,
            host_resources,
            costs,
            roles,
            gpu_roles,
            residents,
        };
        problem.cluster.check_pins(source, |workload| problem.role(workload) == Role::Pinned)?;
        Ok(problem)
    }

    /// Role of a workload.
    pub fn role(&self, workload: WorkloadIndex) -> Role {
        self.roles[workload.index()]
    }

    /// Role of a GPU.
    pub fn gpu_role(&self, gpu: GpuIndex) -> GpuRole {
        self.gpu_roles[gpu.index()]
    }

    /// Whether a GPU is in service.
    pub fn maintenance(&self, gpu: GpuIndex) -> Maintenance {
        self.cluster.gpus[gpu.index()].maintenance
    }

    /// Whether a workload runs, may move, and is on a GPU of which this is true.
    pub fn is_resident_in(&self, workload: WorkloadIndex, maintenance: Maintenance) -> bool {
        let current = self.cluster.workloads[workload.index()].current;
        self.role(workload) == Role::Resident
            && current.is_some_and(|place| self.maintenance(place.gpu) == maintenance)
    }

    /// Whether a GPU that carries workloads may stay in use without being repartitioned.
    pub fn may_stay_as_it_is(&self, gpu: GpuIndex) -> bool {
        match (self.gpu_role(gpu), self.maintenance(gpu)) {
            (GpuRole::Free | GpuRole::NotConsidered, _) | (GpuRole::Occupied, Maintenance::Draining) => false,
            (GpuRole::Pinned, _) | (GpuRole::Occupied, Maintenance::Cordoned) => true,
            (GpuRole::Occupied, Maintenance::InService) => self.use_case != UseCase::Reconfiguration,
        }
    }

    /// Whether a GPU may be laid out anew: a free one, or an occupied one by a repartition that spares no slot.
    pub fn may_be_laid_out_anew(&self, gpu: GpuIndex) -> bool {
        match self.gpu_role(gpu) {
            GpuRole::Free => true,
            GpuRole::Occupied => self.maintenance(gpu).is_in_service(),
            GpuRole::NotConsidered | GpuRole::Pinned => false,
        }
    }

    /// Board type of a GPU.
    pub fn board_index(&self, gpu: GpuIndex) -> BoardIndex {
        self.cluster.gpus[gpu.index()].board
    }

    /// Board of a GPU.
    pub fn board(&self, gpu: GpuIndex) -> &Board {
        self.cluster.board_of(gpu)
    }

    /// The instance in which a running workload runs now.
    pub fn current_instance(&self, workload: WorkloadIndex) -> Option<GpuInstance> {
        let location = self.cluster.workloads[workload.index()].current?;
        self.cluster.instance_at(workload, location)
    }

    /// Workloads about which the program decides, in order.
    pub fn decided(&self) -> impl Iterator<Item = WorkloadIndex> + '_ {
        self.cluster.workload_indices().filter(|&workload| self.role(workload).is_decided())
    }

    /// Whether some workload is pinned although the use case would move it.
    pub fn has_pins_to_work_around(&self) -> bool {
        self.use_case != UseCase::Initial && self.gpu_roles.contains(&GpuRole::Pinned)
    }
}
