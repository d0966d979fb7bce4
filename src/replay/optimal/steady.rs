//! As few changes of starts as possible, where the program does not count them.

use cluster::Placement;
use ground::Amount;
use siavashi::{Goal, MigrationCosts, Objective, Problem, Settings, StagePlan};

/// Whether a virtual machine begins elsewhere on the same GPU, perhaps needlessly, as another start costs nothing. Only where migrations
/// are the last goal: else changes of starts, counted among them, would come before later goals.
pub fn may_be_unsteady(problem: &Problem, placement: &Placement) -> bool {
    let shifts = |workload| match (problem.current(workload), placement.of(workload)) {
        (Some(before), Some(after)) => before.gpu == after.gpu && before.start != after.start,
        _ => false,
    };
    StagePlan::new(problem).stages().last() == Some(&Some(Goal::Migrations))
        && problem.cluster.workload_indices().any(shifts)
}

/// Settings under which the optima are those of the problem in which the fewest begin elsewhere on their GPU: every cost is
/// multiplied by more than the number of virtual machines, and another start costs 1.
///
/// Costs and weights are whole numbers, so that two values of the last goal differ by at least the factor, and all changes of
/// starts together never outweigh it.
pub fn settings(problem: &Problem, settings: &Settings) -> Settings {
    let factor = problem.cluster.workloads.len() as i128 + 1;
    let MigrationCosts { move_machine, move_gpu, evict, .. } = settings.migration_costs;
    Settings {
        objective: Objective::Lexicographic(
            StagePlan::new(problem).stages().iter().copied().flatten().collect(),
        ),
        migration_costs: MigrationCosts {
            move_machine: move_machine * factor,
            move_gpu: move_gpu * factor,
            move_start: Amount::ONE,
            evict: evict * factor,
        },
        ..settings.clone()
    }
}
