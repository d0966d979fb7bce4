//! What the paper's two baselines have in common; they differ in the rule by which one workload is placed.

use super::deploy::{Rule, as_it_is, considered, place, residents, vacate};
use super::room::Room;
use crate::instance::Problem;
use crate::section::UseCase;
use cluster::Placement;

/// Proposes a placement by the rule.
///
/// Initial and joint: residents stay, newcomers and those that must leave a GPU are placed on all GPUs. Compaction: the outer
/// loop of the rule-based method, as the paper does not say how its baselines compact. Reconfiguration: all residents are
/// lifted and placed anew on all GPUs, unless more would change than may.
pub fn propose(problem: &Problem, rule: &dyn Rule) -> Placement {
    if problem.use_case == UseCase::Reconfiguration {
        let mut room = Room::with_residents_lifted(problem);
        considered(problem).for_each(|gpu| room.open(gpu));
        place(&mut room, problem, rule, residents(problem));
        return if room.is_within_limits() { room } else { as_it_is(problem, rule) }.into_placement();
    }
    let mut room = as_it_is(problem, rule);
    if problem.use_case == UseCase::Compaction {
        vacate(&mut room, problem, rule);
    }
    room.into_placement()
}
