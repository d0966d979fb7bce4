//! A problem with everything resolved, for programs that do not want to know boards and defaults.

use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use crate::rules::{Reading, reading_for};
use crate::section::UseCase;
use cluster::{Maintenance, Spot, WorkloadIndex};
use ground::Amount;
use kit::{InstanceReference, QuestionLimit, QuestionProfile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The question that an external heuristic reads: the instance with replicas expanded, boards and costs resolved.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt question")]
pub struct QuestionDocument {
    /// The model: `wpm`.
    pub model: String,
    /// The instance; a solution repeats this entry.
    pub instance: InstanceReference,
    /// Seed for whatever is random; the same seed must give the same answer.
    pub seed: u64,
    /// Which workloads and GPUs take part; the roles below follow from it.
    pub use_case: UseCase,
    /// Under which reading of the model the solution will be judged.
    pub reading: Reading,
    /// Whether every workload must get a place.
    pub place_all: bool,
    /// Geometry of the boards, by name.
    pub boards: BTreeMap<String, QuestionBoard>,
    /// All GPUs.
    pub gpus: Vec<QuestionGpu>,
    /// All workloads, one entry per replica.
    pub workloads: Vec<QuestionWorkload>,
}

/// Geometry and costs of a board.
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
    /// Cost of a GPU in use.
    pub gpu_cost: Amount,
    /// Cost of repartitioning a GPU.
    pub repartition_cost: Amount,
    /// Cost of a wasted slice.
    pub waste_cost: Amount,
}

/// A GPU.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionGpu {
    /// Name.
    pub name: String,
    /// Board, one of `boards`.
    pub board: String,
    /// What may happen to it.
    pub role: GpuRole,
    /// Whether it is in service, which is so when left out.
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
    /// What may happen to it.
    pub role: Role,
    /// Where it runs now; absent for a newcomer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Spot>,
    /// What placing it earns.
    pub reward: Amount,
    /// What moving it costs.
    pub migration_cost: Amount,
}

impl QuestionDocument {
    /// Writes a problem down.
    pub fn new(problem: &Problem, fingerprint: &str, seed: u64) -> Self {
        let cluster = &problem.cluster;
        let boards = cluster.boards.iter().zip(&problem.costs.board).map(|(board, costs)| {
            let about = QuestionBoard {
                slots: board.slots(),
                compute: board.compute(),
                profiles: QuestionProfile::all(board),
                limits: QuestionLimit::all(board),
                gpu_cost: costs.gpu,
                repartition_cost: costs.repartition,
                waste_cost: costs.waste,
            };
            (board.name().to_owned(), about)
        });
        let gpu = |gpu| QuestionGpu {
            name: cluster.gpus[cluster::GpuIndex::index(gpu)].name.clone(),
            board: problem.board(gpu).name().to_owned(),
            role: problem.gpu_role(gpu),
            maintenance: problem.maintenance(gpu),
        };
        QuestionDocument {
            model: "wpm".to_owned(),
            instance: InstanceReference::new(&cluster.name, fingerprint),
            seed,
            use_case: problem.use_case,
            reading: reading_for(problem),
            place_all: problem.place_all,
            boards: boards.collect(),
            gpus: cluster.gpu_indices().map(gpu).collect(),
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
        role: problem.role(index),
        current: workload.current.map(|place| cluster.spot(place)),
        reward: problem.costs.reward_of(index),
        migration_cost: problem.costs.migration_of(index),
    }
}
