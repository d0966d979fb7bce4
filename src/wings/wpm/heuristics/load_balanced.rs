//! Load balancing: every workload goes to the least utilised GPU that takes it.

use super::baseline;
use super::deploy::Rule;
use super::room::{Candidate, Room};
use super::states::Starts;
use crate::instance::Problem;
use cluster::{Placement, WorkloadIndex};
use kit::Heuristic;

/// Resource-based dynamic load balancing: the least utilised GPU first, starts ascending.
pub struct LoadBalanced;

impl Heuristic<Problem> for LoadBalanced {
    fn name(&self) -> &'static str {
        "load-balanced"
    }

    fn summary(&self) -> &'static str {
        "each workload, in the order given, goes to the first free start of the least utilised GPU that has one"
    }

    fn reference(&self) -> &'static str {
        "Turkkan et al., section 5.1 (baseline)"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        baseline::propose(problem, self)
    }
}

impl Rule for LoadBalanced {
    fn order(&self, _: &Problem, _: &mut [WorkloadIndex]) {}

    fn choose(&self, room: &Room<'_>, workload: WorkloadIndex) -> Option<Candidate> {
        room.candidates(workload, Starts::Ascending)
            .min_by_key(|candidate| (room.utilisation(candidate.gpu), room.rank(candidate.gpu)))
    }
}
