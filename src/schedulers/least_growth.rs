//! Least growth of fragmentation.

use super::blocked;
use super::scheduler::Scheduler;
use cluster::Location;
use fleet::{Fleet, Policy, Request};

/// The GPU and the start at which fragmentation grows least: for every distinct profile that is not larger than the number of free slots,
/// its legal starts that are not free, times its size.
#[derive(Clone, Copy, Debug)]
pub struct LeastGrowth;

impl Scheduler for LeastGrowth {
    fn name(&self) -> &'static str {
        "least-growth"
    }

    fn summary(&self) -> &'static str {
        "the GPU and the start at which fewest legal starts are newly blocked although the free slots would suffice"
    }

    fn reference(&self) -> &'static str {
        "after the abstract of Zambianco, Fasol & Doriguzzi-Corin, arXiv 2511.18906; the measure is migopt's"
    }

    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for LeastGrowth {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        fleet.least(request, |group, profile| {
            let placements = &fleet.boards()[group.board.index()];
            blocked::least_growth(placements.board(), group.occupied, profile, placements.counted())
        })
    }
}
