//! BF: every request goes where the fewest blocks are left over.

use super::interval::{self, Online};
use crate::instance::Problem;
use cluster::{Location, Placement};
use fleet::{Fleet, Policy, Request};
use kit::Heuristic;

/// The policy BF of section 8.3. Blocks are those of the GPU, whatever its type of board.
#[derive(Clone, Copy, Debug)]
pub struct BestFit;

impl Heuristic<Problem> for BestFit {
    fn name(&self) -> &'static str {
        "bf"
    }

    fn summary(&self) -> &'static str {
        "best fit: each newcomer goes to the GPU that then has the fewest free blocks, at NVIDIA's default start"
    }

    fn reference(&self) -> &'static str {
        "Siavashi & Momtazpour, section 8.3"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        interval::propose(problem, self)
    }
}

impl Online for BestFit {
    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for BestFit {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        fleet.best(request, |board, occupied| {
            fleet.boards()[board.index()].board().free_slots(occupied).count()
        })
    }
}
