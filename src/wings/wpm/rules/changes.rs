//! Who is moved by a solution, and who is disrupted.

use super::solution::{Reading, Solution};
use crate::instance::{Problem, Role};
use crate::section::Shifts;
use cluster::WorkloadIndex;

/// Who counts as moved, and who as disrupted, by workload.
pub struct Changes {
    /// Who is moved, at the cost of its migration.
    pub moved: Vec<bool>,
    /// Who is disrupted.
    pub disrupted: Vec<bool>,
}

impl Changes {
    /// Those of a solution.
    pub fn of(problem: &Problem, solution: &Solution) -> Self {
        let takes_part = |workload| problem.role(workload) == Role::Resident;
        let with_groups =
            |by_itself: &dyn Fn(WorkloadIndex) -> bool| problem.cluster.with_groups(takes_part, by_itself);
        Changes {
            moved: with_groups(&|workload| moves_by_itself(problem, solution, workload)),
            disrupted: with_groups(&|workload| leaves_its_slot(problem, solution, workload)),
        }
    }
}

/// The running workloads that count as changed when this one is: itself, and those of its groups that count as one.
pub fn changed_with(problem: &Problem, workload: WorkloadIndex) -> impl Iterator<Item = WorkloadIndex> + '_ {
    let others = problem.cluster.as_one_groups_of(workload).flat_map(|group| group.members.iter().copied());
    std::iter::once(workload).chain(others.filter(|&other| problem.role(other) == Role::Resident))
}

/// Whether a running workload leaves the slot that it has now.
pub fn leaves_its_slot(problem: &Problem, solution: &Solution, workload: WorkloadIndex) -> bool {
    problem.role(workload) == Role::Resident
        && problem.cluster.workloads[workload.index()].current != solution.placement.of(workload)
}

fn moves_by_itself(problem: &Problem, solution: &Solution, workload: WorkloadIndex) -> bool {
    if !leaves_its_slot(problem, solution, workload) {
        return false;
    }
    let before = problem.cluster.workloads[workload.index()].current.expect("residents run");
    match solution.placement.of(workload) {
        Some(after) if after.gpu == before.gpu => {
            let is_free = solution.reading == Reading::Printed || solution.repartitioned[after.gpu.index()];
            problem.limits.shifts == Shifts::Counted || !is_free
        }
        Some(_) | None => true,
    }
}
