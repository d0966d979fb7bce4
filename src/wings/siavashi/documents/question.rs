//! A problem with everything resolved, for programs that do not want to know boards and defaults.

use crate::instance::Problem;
use crate::section::{ActiveGpus, MigrationCosts, Residents};
use cluster::{GpuIndex, GroupSection, Maintenance, Spot, WorkloadIndex};
use ground::Amount;
use kit::{InstanceReference, QuestionLimit, QuestionProfile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The question that an external heuristic reads: the instance with replicas expanded, boards and weights resolved.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt question of model siavashi")]
pub struct QuestionDocument {
    /// The model: `siavashi`.
    pub model: String,
    /// The instance; a solution repeats this entry.
    pub instance: InstanceReference,
    /// Seed for whatever is random; the same seed must give the same answer.
    pub seed: u64,
    /// How the goals are combined.
    pub objective: String,
    /// Whether workloads that run may lose their place.
    pub residents: Residents,
    /// Which GPUs of a machine in use count as hardware in use.
    pub active_gpus: ActiveGpus,
    /// What changes cost, times the workload's `migration_weight`.
    pub migration_costs: MigrationCosts,
    /// How many running workloads may be moved at most: to another GPU, or off their place. Absent when that is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_migrations: Option<u32>,
    /// How many running workloads may be out of their slots in the end at most. Absent when that is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_disrupted: Option<u32>,
    /// Groups of workloads that keep apart, or belong together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupSection>,
    /// Geometry of the boards, by name.
    pub boards: BTreeMap<String, QuestionBoard>,
    /// All machines with their GPUs.
    pub machines: Vec<QuestionMachine>,
    /// All workloads, one entry per replica.
    pub workloads: Vec<QuestionWorkload>,
}

/// Geometry of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionBoard {
    /// Memory slots.
    pub slots: u32,
    /// Compute slices.
    pub compute: u32,
    /// Profiles by name.
    pub profiles: BTreeMap<String, QuestionProfile>,
    /// What all instances on one board together may not exceed, beside the slots.
    pub limits: Vec<QuestionLimit>,
}

/// A machine.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionMachine {
    /// Name.
    pub name: String,
    /// CPU capacity in cores; absent when it is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Amount>,
    /// Main memory in GiB; absent when it is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<Amount>,
    /// What the machine itself counts when it is in use.
    pub weight: Amount,
    /// What each of its GPUs counts when it is in use.
    pub gpu_weight: Amount,
    /// How many of the workloads that run on it may be out of their slots in the end at most. Absent when that is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_disrupted: Option<u32>,
    /// Its GPUs.
    pub gpus: Vec<QuestionGpu>,
}

/// A GPU.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionGpu {
    /// Name.
    pub name: String,
    /// Board, one of `boards`.
    pub board: String,
    /// Whether workloads may start there; absent when it is in service.
    #[serde(default, skip_serializing_if = "Maintenance::is_in_service")]
    pub maintenance: Maintenance,
}

/// A workload.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionWorkload {
    /// Name.
    pub name: String,
    /// The profile that serves it, by board; boards that cannot are left out.
    pub profiles: BTreeMap<String, String>,
    /// CPU cores that it needs.
    pub cpu: Amount,
    /// Main memory in GiB that it needs.
    pub memory_gib: Amount,
    /// What placing it counts.
    pub acceptance_weight: Amount,
    /// How much its changes count; 0 for a newcomer.
    pub migration_weight: Amount,
    /// Where it runs now; absent for a newcomer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Spot>,
    /// Whether it runs and must stay where it is.
    pub pinned: bool,
    /// The machines on which it may be, by name; absent when it may be on all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<String>>,
    /// Its groups, of `groups`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

impl QuestionDocument {
    /// Writes a problem down.
    pub fn new(problem: &Problem, fingerprint: &str, seed: u64) -> Self {
        let cluster = &problem.cluster;
        let boards = cluster.boards.iter().map(|board| {
            let about = QuestionBoard {
                slots: board.slots(),
                compute: board.compute(),
                profiles: QuestionProfile::all(board),
                limits: QuestionLimit::all(board),
            };
            (board.name().to_owned(), about)
        });
        let machine = |index| {
            let machine = problem.machine(index);
            let gpus = machine.gpus.iter().map(|&gpu| QuestionGpu {
                name: cluster.gpus[gpu.index()].name.clone(),
                board: problem.board(gpu).name().to_owned(),
                maintenance: problem.maintenance(gpu),
            });
            QuestionMachine {
                name: problem.machine_name(index).to_owned(),
                cpu: machine.cpu,
                memory_gib: machine.memory,
                weight: machine.weight,
                gpu_weight: machine.gpu_weight,
                max_disrupted: machine.host.and_then(|host| cluster.hosts[host.index()].max_disrupted),
                gpus: gpus.collect(),
            }
        };
        QuestionDocument {
            model: "siavashi".to_owned(),
            instance: InstanceReference::new(&cluster.name, fingerprint),
            seed,
            objective: problem.objective.to_string(),
            residents: problem.residents,
            active_gpus: problem.active_gpus,
            migration_costs: problem.costs,
            max_migrations: problem.limits.max_migrations,
            max_disrupted: problem.limits.max_disrupted,
            groups: cluster.groups.iter().map(|group| group.rules.clone()).collect(),
            boards: boards.collect(),
            machines: problem.machine_indices().map(machine).collect(),
            workloads: cluster.workload_indices().map(|workload| one_workload(problem, workload)).collect(),
        }
    }
}

fn one_workload(problem: &Problem, index: WorkloadIndex) -> QuestionWorkload {
    let cluster = &problem.cluster;
    let workload = &cluster.workloads[index.index()];
    let served = cluster.boards.iter().zip(&cluster.requests[workload.request.index()].on_board);
    let profiles = served.filter_map(|(board, profile)| {
        Some((board.name().to_owned(), board.profile((*profile)?).name.clone()))
    });
    QuestionWorkload {
        name: workload.name.clone(),
        profiles: profiles.collect(),
        cpu: workload.cpu,
        memory_gib: workload.memory,
        acceptance_weight: problem.acceptance_weight(index),
        migration_weight: problem.migration_weight(index),
        current: workload.current.map(|place| cluster.spot(place)),
        pinned: problem.is_pinned(index),
        nodes: workload.particulars().nodes.map(|_| nodes_of(problem, index)),
        groups: cluster.groups_of(index).map(|(_, group)| group.rules.name.clone()).collect(),
    }
}

/// The machines that admit a workload.
fn nodes_of(problem: &Problem, workload: WorkloadIndex) -> Vec<String> {
    let admits = |gpus: &[GpuIndex]| gpus.iter().any(|&gpu| problem.cluster.admits(workload, gpu));
    let admitting = problem.machine_indices().filter(|&machine| admits(&problem.machine(machine).gpus));
    admitting.map(|machine| problem.machine_name(machine).to_owned()).collect()
}
