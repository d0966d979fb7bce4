//! FF: every request goes to the first GPU that can take it.

use super::interval::{self, Online};
use crate::instance::Problem;
use cluster::{Location, Placement};
use fleet::{Fleet, Policy, Request};
use kit::Heuristic;

/// The policy FF of section 8.3: hosts and their GPUs are scanned one after the other.
#[derive(Clone, Copy, Debug)]
pub struct FirstFit;

impl Heuristic<Problem> for FirstFit {
    fn name(&self) -> &'static str {
        "ff"
    }

    fn summary(&self) -> &'static str {
        "first fit: each newcomer goes to the first GPU that can take it, at NVIDIA's default start"
    }

    fn reference(&self) -> &'static str {
        "Siavashi & Momtazpour, section 8.3"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        interval::propose(problem, self)
    }
}

impl Online for FirstFit {
    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for FirstFit {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        fleet.best(request, |_, _| ())
    }
}
