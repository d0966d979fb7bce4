//! Who is moved by a solution, and who is disrupted.

use super::solution::{Reading, Solution};
use crate::instance::{Problem, Role};
use crate::section::Shifts;
use cluster::WorkloadIndex;

/// Who counts as moved, and who as disrupted.
pub struct Changes {
    moved: Vec<bool>,
    disrupted: Vec<bool>,
}

impl Changes {
    /// Those of a solution.
    pub fn of(problem: &Problem, solution: &Solution) -> Self {
        Changes {
            moved: with_groups(problem, |workload| moves_by_itself(problem, solution, workload)),
            disrupted: with_groups(problem, |workload| leaves_its_slot(problem, solution, workload)),
        }
    }

    /// Whether a workload counts as moved, at the cost of its migration.
    pub fn is_moved(&self, workload: WorkloadIndex) -> bool {
        self.moved[workload.index()]
    }

    /// Whether a workload counts as disrupted.
    pub fn is_disrupted(&self, workload: WorkloadIndex) -> bool {
        self.disrupted[workload.index()]
    }
}

/// The running workloads that count as changed when this one is: itself, and those of its groups that count as one.
pub fn changed_with(problem: &Problem, workload: WorkloadIndex) -> impl Iterator<Item = WorkloadIndex> + '_ {
    let as_one = problem.cluster.groups_of(workload).filter(|(_, group)| group.rules.as_one);
    let others = as_one.flat_map(|(_, group)| group.members.iter().copied());
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

/// Of whom something is true by itself, and those that count with them.
fn with_groups(problem: &Problem, by_itself: impl Fn(WorkloadIndex) -> bool) -> Vec<bool> {
    let mut all: Vec<bool> = problem.cluster.workload_indices().map(&by_itself).collect();
    for group in problem.cluster.groups.iter().filter(|group| group.rules.as_one) {
        if group.members.iter().any(|&member| by_itself(member)) {
            let residents = group.members.iter().filter(|member| problem.role(**member) == Role::Resident);
            residents.for_each(|member| all[member.index()] = true);
        }
    }
    all
}
