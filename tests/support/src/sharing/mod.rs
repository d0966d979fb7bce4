//! Instances of model sharing, small enough that all packings can be tried.

pub mod ampl;
pub mod random;

use crate::instances;
use ground::Amount;
use itertools::Itertools;
use sharing::{Packing, Problem, ServerIndex, verify};

/// The problem that a text poses.
pub fn problem(text: impl Into<String>) -> Problem {
    instances::problem::<sharing::Sharing>(text)
}

/// All packings in which everybody has a server, whether they fit or not.
pub fn all_packings(problem: &Problem) -> impl Iterator<Item = Packing> {
    let servers: Vec<Option<ServerIndex>> = problem.server_indices().map(Some).collect();
    let choices = problem.vms.iter().map(|_| servers.clone()).multi_cartesian_product();
    choices.map(Packing::new)
}

/// The values of the problem's goals that a packing reaches; none when it breaks a rule.
pub fn values(problem: &Problem, packing: &Packing) -> Option<Vec<Amount>> {
    let verdict = verify(problem, packing);
    let goals = problem.optimum.goals().iter();
    verdict.violations.is_empty().then(|| goals.map(|&goal| verdict.score.goal(goal)).collect())
}

/// The best values of the goals, found by trying all packings; none when there is no packing.
pub fn best_values(problem: &Problem) -> Option<Vec<Amount>> {
    all_packings(problem).filter_map(|packing| values(problem, &packing)).min()
}
