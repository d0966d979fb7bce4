//! Who is moved by a placement, and who is disrupted.

use crate::instance::Problem;
use cluster::{Placement, WorkloadIndex};

/// Who counts as moved, and who as disrupted.
pub struct Changes {
    /// By workload: on another GPU than before, or without a place; or one with such a workload.
    pub moved: Vec<bool>,
    /// By workload: not in its slot; or one with such a workload.
    pub disrupted: Vec<bool>,
}

impl Changes {
    /// Those of a placement.
    pub fn of(problem: &Problem, placement: &Placement) -> Self {
        let takes_part = |workload| problem.is_resident(workload);
        let with_groups =
            |by_itself: &dyn Fn(WorkloadIndex) -> bool| problem.cluster.with_groups(takes_part, by_itself);
        Changes {
            moved: with_groups(&|workload| leaves_gpu(problem, placement, workload)),
            disrupted: with_groups(&|workload| leaves_slot(problem, placement, workload)),
        }
    }
}

/// Whether a workload that runs is elsewhere than on its GPU in the end: what costs `move_gpu`, `move_machine` or `evict`.
pub fn leaves_gpu(problem: &Problem, placement: &Placement, workload: WorkloadIndex) -> bool {
    let gpu = |place: cluster::Location| place.gpu;
    problem.current(workload).map(gpu) != placement.of(workload).map(gpu)
}

/// Whether a workload that runs is not in its slot in the end.
pub fn leaves_slot(problem: &Problem, placement: &Placement, workload: WorkloadIndex) -> bool {
    problem.current(workload) != placement.of(workload)
}
