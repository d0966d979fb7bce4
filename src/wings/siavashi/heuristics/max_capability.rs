//! MCC: every request goes where the greatest capability is left.

use super::interval::{self, Online};
use crate::instance::Problem;
use cluster::{Location, Placement};
use fleet::{Fleet, Policy, Request};
use kit::Heuristic;
use std::cmp::Reverse;

/// The policy MCC, Algorithm 6: the GPU whose configuration capability is greatest once the request is there.
#[derive(Clone, Copy, Debug)]
pub struct MaxCapability;

impl Heuristic<Problem> for MaxCapability {
    fn name(&self) -> &'static str {
        "mcc"
    }

    fn summary(&self) -> &'static str {
        "max CC: each newcomer goes to the GPU that then has the most free starts over all profiles"
    }

    fn reference(&self) -> &'static str {
        "Siavashi & Momtazpour, Algorithm 6"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        interval::propose(problem, self)
    }
}

impl Online for MaxCapability {
    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for MaxCapability {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        fleet.best(request, |board, occupied| Reverse(fleet.boards()[board.index()].capability(occupied)))
    }
}
