//! An independent reading of the model's rules: what a solution breaks and what it is worth.
//!
//! It shares no code with the programs: waste is counted slot by slot from the start slots, costs are added up in
//! exact decimals.

use super::solution::{Reading, Solution, is_migration};
use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use crate::section::{Goal, UseCase};
use cluster::{self, GpuIndex, HostResources, Maintenance, WorkloadIndex};
use ground::Amount;
use kit::Rule;
use mig::SlotMask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule that a solution breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A rule of the hardware.
    Hardware(cluster::Violation),
    /// A pinned workload is not where it was.
    PinnedMoved { workload: String },
    /// A workload that the use case does not consider has a place.
    NotConsidered { workload: String },
    /// An empty GPU is used although the use case does not use free GPUs.
    FreeGpuUsed { gpu: String },
    /// An instance takes slots of a GPU in use that were not free at first, and the GPU is not repartitioned.
    OccupiedSlotsReused { workload: String, gpu: String },
    /// A GPU is repartitioned that carries a pinned workload.
    PinnedRepartitioned { gpu: String },
    /// A GPU without workloads at first, or without any at last, is said to be repartitioned.
    NothingToRepartition { gpu: String },
    /// In reconfiguration a GPU without pinned workloads must be laid out anew to stay in use.
    NotLaidOutAnew { gpu: String },
    /// A workload starts on a GPU that is cordoned or to be drained.
    StartsOutOfService { workload: String, gpu: String },
    /// A movable workload is still on a GPU that is to be drained.
    NotDrained { workload: String, gpu: String },
    /// A GPU is repartitioned that is cordoned or to be drained.
    RepartitionedOutOfService { gpu: String },
    /// A workload waits although all must be placed.
    Pending { workload: String },
}

impl Rule for Violation {
    fn rule(&self) -> &'static str {
        match self {
            Violation::Hardware(violation) => violation.rule(),
            Violation::PinnedMoved { .. } => "pinned-moved",
            Violation::NotConsidered { .. } => "not-considered",
            Violation::FreeGpuUsed { .. } => "free-gpu-used",
            Violation::OccupiedSlotsReused { .. } => "occupied-slots-reused",
            Violation::PinnedRepartitioned { .. } => "pinned-repartitioned",
            Violation::NothingToRepartition { .. } => "nothing-to-repartition",
            Violation::NotLaidOutAnew { .. } => "not-laid-out-anew",
            Violation::StartsOutOfService { .. } => "starts-out-of-service",
            Violation::NotDrained { .. } => "not-drained",
            Violation::RepartitionedOutOfService { .. } => "repartitioned-out-of-service",
            Violation::Pending { .. } => "pending",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::Hardware(violation) => violation.fmt(formatter),
            Violation::PinnedMoved { workload } => {
                write!(formatter, "`{workload}` is pinned but not where it was")
            }
            Violation::NotConsidered { workload } => {
                write!(formatter, "`{workload}` has a place, but this use case considers no newcomers")
            }
            Violation::FreeGpuUsed { gpu } => {
                write!(formatter, "{gpu} was empty and is used, but compaction uses no free GPUs")
            }
            Violation::OccupiedSlotsReused { workload, gpu } => write!(
                formatter,
                "`{workload}` takes slots of {gpu} that were occupied before, but {gpu} is not repartitioned"
            ),
            Violation::PinnedRepartitioned { gpu } => {
                write!(formatter, "{gpu} is repartitioned although it carries a pinned workload")
            }
            Violation::NothingToRepartition { gpu } => {
                write!(formatter, "{gpu} is listed as repartitioned but was empty before or is empty after")
            }
            Violation::NotLaidOutAnew { gpu } => {
                write!(
                    formatter,
                    "{gpu} stays in use without being repartitioned, but reconfiguration lays out every GPU anew"
                )
            }
            Violation::StartsOutOfService { workload, gpu } => {
                write!(formatter, "`{workload}` starts on {gpu}, which is cordoned or to be drained")
            }
            Violation::NotDrained { workload, gpu } => {
                write!(formatter, "`{workload}` may be moved and is still on {gpu}, which is to be drained")
            }
            Violation::RepartitionedOutOfService { gpu } => {
                write!(formatter, "{gpu} is repartitioned, but it is cordoned or to be drained")
            }
            Violation::Pending { workload } => {
                write!(formatter, "`{workload}` has no place, but all must be placed")
            }
        }
    }
}

/// What a solution is worth, term by term of the profit (2a).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WpmScore")]
pub struct Score {
    /// Workloads with a place, of those that the use case considers and that are not pinned.
    pub placed: u64,
    /// Workloads without a place, of the same ones.
    pub pending: u64,
    /// Sum of the rewards of those with a place.
    pub reward: Amount,
    /// GPUs with at least one workload.
    pub gpus: u64,
    /// Cost of these GPUs.
    pub gpu_cost: Amount,
    /// Running workloads that move to another GPU, or lose their place.
    pub migrations: u64,
    /// GPUs repartitioned.
    pub repartitions: u64,
    /// Cost of migrations and repartitions.
    pub migration_cost: Amount,
    /// Compute and memory slices wasted, as the reading counts them.
    pub wasted_slices: u64,
    /// Cost of the waste.
    pub waste_cost: Amount,
    /// Rewards less all costs.
    pub profit: Amount,
}

impl Score {
    /// The value of one goal.
    pub fn goal(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Reward => self.reward,
            Goal::Gpus => self.gpu_cost,
            Goal::Migrations => self.migration_cost,
            Goal::Waste => self.waste_cost,
        }
    }
}

/// The verdict on a solution.
pub type Verification = kit::Verification<Violation, Score>;

/// Judges a solution by the rules alone.
///
/// The solution must speak of exactly the problem's workloads and GPUs.
pub fn verify(problem: &Problem, solution: &Solution) -> Verification {
    let hardware = cluster::check(&problem.cluster, &solution.placement, HostResources::Ignored);
    let sound = hardware.is_empty();
    let mut violations: Vec<Violation> = hardware.into_iter().map(Violation::Hardware).collect();
    let mut score = Score::default();
    check_workloads(problem, solution, &mut violations, &mut score);
    let by_gpu = solution.placement.by_gpu(&problem.cluster);
    for gpu in problem.cluster.gpu_indices() {
        check_gpu(problem, solution, gpu, &by_gpu[gpu.index()], &mut violations);
        if sound {
            score_gpu(problem, solution, gpu, &by_gpu[gpu.index()], &mut score);
        }
    }
    score.profit = score.reward - score.gpu_cost - score.migration_cost - score.waste_cost;
    Verification { violations, score }
}

fn check_workloads(
    problem: &Problem,
    solution: &Solution,
    violations: &mut Vec<Violation>,
    score: &mut Score,
) {
    for workload in problem.cluster.workload_indices() {
        let place = solution.placement.of(workload);
        let name = || problem.cluster.workloads[workload.index()].name.clone();
        match problem.role(workload) {
            Role::Pinned if place != problem.cluster.workloads[workload.index()].current => {
                violations.push(Violation::PinnedMoved { workload: name() });
            }
            Role::NotConsidered if place.is_some() => {
                violations.push(Violation::NotConsidered { workload: name() });
            }
            Role::Pinned | Role::NotConsidered => {}
            Role::Resident | Role::Newcomer => {
                if place.is_some() {
                    score.placed += 1;
                    score.reward += problem.costs.reward_of(workload);
                } else {
                    score.pending += 1;
                    if problem.place_all {
                        violations.push(Violation::Pending { workload: name() });
                    }
                }
                if is_migration(problem, solution, workload) {
                    score.migrations += 1;
                    score.migration_cost += problem.costs.migration_of(workload);
                }
            }
        }
    }
}

fn check_gpu(
    problem: &Problem,
    solution: &Solution,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
    violations: &mut Vec<Violation>,
) {
    let name = || problem.cluster.gpus[gpu.index()].name.clone();
    let residents = &problem.residents[gpu.index()];
    if problem.maintenance(gpu) != Maintenance::InService {
        check_out_of_service(problem, solution, gpu, now_on_gpu, violations);
    }
    if solution.repartitioned[gpu.index()] {
        if residents.is_empty() || now_on_gpu.is_empty() {
            violations.push(Violation::NothingToRepartition { gpu: name() });
        }
        if solution.reading == Reading::Printed && problem.gpu_role(gpu) == GpuRole::Pinned {
            violations.push(Violation::PinnedRepartitioned { gpu: name() });
        }
        return;
    }
    if now_on_gpu.is_empty() {
        return;
    }
    match problem.gpu_role(gpu) {
        GpuRole::NotConsidered if problem.use_case == UseCase::Compaction => {
            violations.push(Violation::FreeGpuUsed { gpu: name() })
        }
        GpuRole::Occupied
            if problem.use_case == UseCase::Reconfiguration
                && problem.maintenance(gpu) == Maintenance::InService =>
        {
            violations.push(Violation::NotLaidOutAnew { gpu: name() });
        }
        GpuRole::Free | GpuRole::NotConsidered | GpuRole::Occupied | GpuRole::Pinned => {}
    }
    if solution.reading == Reading::ExactIndex {
        return;
    }
    let board = problem.board(gpu);
    let footprint_of = |workload: WorkloadIndex, location| {
        problem.cluster.instance_at(workload, location).map(|instance| board.footprint(instance))
    };
    let mut occupied = SlotMask::EMPTY;
    for &resident in residents {
        let before = problem.cluster.workloads[resident.index()].current.expect("residents run");
        occupied = occupied.union(footprint_of(resident, before).unwrap_or_default());
    }
    for &workload in now_on_gpu {
        let after = solution.placement.of(workload).expect("listed by location");
        let stays = problem.cluster.workloads[workload.index()].current == Some(after);
        let blocked = footprint_of(workload, after).is_some_and(|footprint| footprint.intersects(occupied));
        if !stays && blocked {
            let workload = problem.cluster.workloads[workload.index()].name.clone();
            violations.push(Violation::OccupiedSlotsReused { workload, gpu: name() });
        }
    }
}

fn check_out_of_service(
    problem: &Problem,
    solution: &Solution,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
    violations: &mut Vec<Violation>,
) {
    let gpu_name = || problem.cluster.gpus[gpu.index()].name.clone();
    if solution.repartitioned[gpu.index()] {
        violations.push(Violation::RepartitionedOutOfService { gpu: gpu_name() });
    }
    for &workload in now_on_gpu {
        let name = || problem.cluster.workloads[workload.index()].name.clone();
        if problem.cluster.workloads[workload.index()].current != solution.placement.of(workload) {
            violations.push(Violation::StartsOutOfService { workload: name(), gpu: gpu_name() });
        } else if problem.maintenance(gpu) == Maintenance::Draining
            && problem.role(workload) == Role::Resident
        {
            violations.push(Violation::NotDrained { workload: name(), gpu: gpu_name() });
        }
    }
}

fn score_gpu(
    problem: &Problem,
    solution: &Solution,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
    score: &mut Score,
) {
    let costs = problem.costs.of_board(problem.board_index(gpu));
    if solution.repartitioned[gpu.index()] {
        score.repartitions += 1;
        score.migration_cost += costs.repartition;
    }
    if now_on_gpu.is_empty() {
        return;
    }
    score.gpus += 1;
    score.gpu_cost += costs.gpu;
    let counts_everything = solution.reading == Reading::ExactIndex || solution.repartitioned[gpu.index()];
    let wasted: u32 = now_on_gpu
        .iter()
        .filter(|&&workload| {
            counts_everything
                || problem.cluster.workloads[workload.index()].current != solution.placement.of(workload)
        })
        .filter_map(|&workload| {
            problem
                .cluster
                .instance_at(workload, solution.placement.of(workload).expect("listed by location"))
        })
        .map(|instance| problem.board(gpu).waste(instance))
        .sum();
    score.wasted_slices += u64::from(wasted);
    score.waste_cost += costs.waste * i128::from(wasted);
}
