//! A solution of a wpm problem: where everything ends up, and which GPUs are repartitioned.

use crate::instance::Problem;
use crate::instance::{GpuRole, Role};
use crate::section::UseCase;
use cluster::{GpuIndex, Metrics, Placement, WorkloadIndex};
use ground::Amount;
use kit::{Choice, Choices};
use mig::SlotMask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The two readings of what may happen to a GPU that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// As printed: a GPU in use either stays as it is, and only its free partitions take more, or it is
    /// repartitioned as a whole, for which it must carry nothing pinned. Waste of what stays is not counted.
    Printed,
    /// With exact indexes: slots freed by a departure can be used again at once, instances around pinned ones can be
    /// laid out anew, and all waste is counted.
    ExactIndex,
}

impl Choices for Reading {
    const ALL: &'static [Choice<Self>] = &[
        Choice { name: "printed", help: "as printed", value: Reading::Printed },
        Choice { name: "exact-index", help: "with exact indexes", value: Reading::ExactIndex },
    ];
}

/// The reading under which heuristics are judged: that of the formulation which suits the problem.
pub fn reading_for(problem: &Problem) -> Reading {
    if problem.has_pins_to_work_around() { Reading::ExactIndex } else { Reading::Printed }
}

/// Where everything ends up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Under which reading it is to be judged.
    pub reading: Reading,
    /// Where every workload ends up.
    pub placement: Placement,
    /// Per GPU: whether it is repartitioned, so that instances that stay on it may change their start freely.
    pub repartitioned: Vec<bool>,
}

impl Solution {
    /// The solution with this placement and the repartitions with which it is worth most: those without which it breaks a rule,
    /// and those that cost less than the moves inside their GPU that they save.
    pub fn from_placement(problem: &Problem, reading: Reading, placement: Placement) -> Self {
        let by_gpu = placement.by_gpu(&problem.cluster);
        let repartitioned = problem
            .cluster
            .gpu_indices()
            .map(|gpu| calls_for_repartition(problem, reading, &placement, gpu, &by_gpu[gpu.index()]))
            .collect();
        Solution { reading, placement, repartitioned }
    }

    /// The placement in numbers.
    pub fn metrics(&self, problem: &Problem) -> Metrics {
        Metrics::of(&problem.cluster, &self.placement, self.pending(problem))
    }

    /// Where the decided workloads without a place are counted: those that wait.
    pub fn pending<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = WorkloadIndex> + 'a {
        problem.decided().filter(|&workload| self.placement.of(workload).is_none())
    }
}

/// Whether the final contents of `gpu` can only be reached by repartitioning it, or more cheaply so.
fn calls_for_repartition(
    problem: &Problem,
    reading: Reading,
    placement: &Placement,
    gpu: GpuIndex,
    now_on_gpu: &[WorkloadIndex],
) -> bool {
    let residents = &problem.residents[gpu.index()];
    if residents.is_empty() || now_on_gpu.is_empty() || !problem.maintenance(gpu).is_in_service() {
        return false;
    }
    let board = problem.board(gpu);
    match reading {
        Reading::ExactIndex => {
            // Without residents that stay this is a drained GPU, free for any layout.
            let must_lay_out_anew =
                problem.use_case == UseCase::Reconfiguration && problem.gpu_role(gpu) == GpuRole::Occupied;
            let moved_inside = now_on_gpu.iter().filter(|workload| {
                let before = problem.cluster.workloads[workload.index()].current;
                problem.role(**workload) == Role::Resident
                    && before.is_some_and(|before| before.gpu == gpu)
                    && before != placement.of(**workload)
            });
            let moves: Amount = moved_inside.map(|&workload| problem.costs.migration_of(workload)).sum();
            must_lay_out_anew || moves > problem.costs.of_board(problem.board_index(gpu)).repartition
        }
        Reading::Printed => {
            if problem.gpu_role(gpu) == GpuRole::Pinned {
                return false;
            }
            if problem.use_case == UseCase::Reconfiguration {
                return true;
            }
            let before = residents.iter().filter_map(|&workload| problem.current_instance(workload));
            let occupied =
                before.fold(SlotMask::EMPTY, |mask, instance| mask.union(board.footprint(instance)));
            now_on_gpu.iter().any(|&workload| {
                let stays = problem.cluster.workloads[workload.index()].current == placement.of(workload);
                let location = placement.of(workload).expect("listed by location");
                let footprint =
                    problem.cluster.instance_at(workload, location).map(|instance| board.footprint(instance));
                !stays && footprint.is_some_and(|footprint| footprint.intersects(occupied))
            })
        }
    }
}

/// Whether the solution moves a resident in a way that costs its migration penalty.
pub fn is_migration(problem: &Problem, solution: &Solution, workload: WorkloadIndex) -> bool {
    if problem.role(workload) != Role::Resident {
        return false;
    }
    let before = problem.cluster.workloads[workload.index()].current.expect("residents run");
    match solution.placement.of(workload) {
        None => true,
        Some(after) if after.gpu != before.gpu => true,
        Some(after) => {
            solution.reading == Reading::ExactIndex
                && after != before
                && !solution.repartitioned[after.gpu.index()]
        }
    }
}
