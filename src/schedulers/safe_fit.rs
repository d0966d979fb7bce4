//! First fit and best fit at the start that leaves most sets of further instances possible.

use super::open_sets::OpenSets;
use super::scheduler::Scheduler;
use super::starts::after;
use cluster::Location;
use fleet::{Fleet, Policy, Request};
use std::cell::RefCell;

/// The first GPU with room, or the one that then has fewest free slots, at the safest start.
#[derive(Clone, Copy, Debug)]
pub struct SafeFit {
    /// Whether the GPU that then has fewest free slots is preferred.
    pub is_best_fit: bool,
}

impl SafeFit {
    /// First fit.
    pub const FIRST: SafeFit = SafeFit { is_best_fit: false };
    /// Best fit.
    pub const BEST: SafeFit = SafeFit { is_best_fit: true };
}

impl Scheduler for SafeFit {
    fn name(&self) -> &'static str {
        if self.is_best_fit { "best-fit-safe" } else { "first-fit-safe" }
    }

    fn summary(&self) -> &'static str {
        match self.is_best_fit {
            true => {
                "the GPU that then has the fewest free slots, at the start after which most sets of instances still fit"
            }
            false => {
                "the first GPU with room, at the start after which most sets of further instances still fit"
            }
        }
    }

    fn reference(&self) -> &'static str {
        "migopt"
    }

    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        let open_sets = fleet.boards().iter().map(|_| RefCell::default()).collect();
        Box::new(AtWork { is_best_fit: self.is_best_fit, open_sets })
    }
}

struct AtWork {
    is_best_fit: bool,
    /// By type of board.
    open_sets: Vec<RefCell<OpenSets>>,
}

impl Policy for AtWork {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        fleet.least(request, |group, profile| {
            let placements = &fleet.boards()[group.board.index()];
            let (board, counted) = (placements.board(), placements.counted());
            let mut open_sets = self.open_sets[group.board.index()].borrow_mut();
            let start = open_sets.safest(board, group.occupied, profile, counted)?;
            let left = board.free_slots(after(board, group.occupied, profile, start)).count();
            Some((if self.is_best_fit { left } else { 0 }, start))
        })
    }
}
