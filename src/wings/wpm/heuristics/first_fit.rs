//! First fit: every workload goes to the first GPU and the first start slot that take it.

use super::baseline;
use super::deploy::Rule;
use super::room::{Candidate, Room};
use super::states::Starts;
use crate::instance::Problem;
use cluster::{Placement, WorkloadIndex};
use kit::Heuristic;

/// First fit in the order of GPU and workload, starts ascending.
pub struct FirstFit;

impl Heuristic<Problem> for FirstFit {
    fn name(&self) -> &'static str {
        "first-fit"
    }

    fn summary(&self) -> &'static str {
        "each workload, in the order given, goes to the first free start of the first GPU that has one"
    }

    fn reference(&self) -> &'static str {
        "Turkkan et al., section 5.1 (baseline)"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        baseline::propose(problem, self)
    }
}

impl Rule for FirstFit {
    fn order(&self, _: &Problem, _: &mut [WorkloadIndex]) {}

    fn choose(&self, room: &Room<'_>, workload: WorkloadIndex) -> Option<Candidate> {
        room.candidates(workload, Starts::Ascending).min_by_key(|candidate| room.rank(candidate.gpu))
    }
}
