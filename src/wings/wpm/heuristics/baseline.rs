//! What the paper's two baselines have in common; they differ in the rule by which one workload is placed.

use super::deploy::{Rule, considered, place, residents, vacate, waiting};
use super::room::Room;
use crate::instance::Problem;
use crate::section::UseCase;
use cluster::Placement;

/// Proposes a placement by the rule.
///
/// Initial and joint: residents stay, newcomers and those that must leave a GPU are placed on all GPUs. Compaction: the outer
/// loop of the rule-based method, as the paper does not say how its baselines compact. Reconfiguration: all residents are
/// lifted and placed anew on all GPUs.
pub fn propose(problem: &Problem, rule: &dyn Rule) -> Placement {
    let mut room = match problem.use_case {
        UseCase::Reconfiguration => Room::with_residents_lifted(problem),
        UseCase::Initial | UseCase::Joint | UseCase::Compaction => Room::with_residents(problem),
    };
    considered(problem).for_each(|gpu| room.open(gpu));
    match problem.use_case {
        UseCase::Initial | UseCase::Joint => drop(place(&mut room, problem, rule, waiting(problem))),
        UseCase::Compaction => {
            place(&mut room, problem, rule, waiting(problem));
            vacate(&mut room, problem, rule);
        }
        UseCase::Reconfiguration => drop(place(&mut room, problem, rule, residents(problem))),
    }
    room.into_placement()
}
