//! Spreading while there is room, packing afterwards.

use super::blocked;
use super::scheduler::Scheduler;
use cluster::Location;
use fleet::{Fleet, Policy, Request};
use kit::{Parameter, no_choices, whole};
use num_rational::Ratio;

/// The least occupied GPU while the fleet is occupied up to a threshold, and above it where fragmentation grows least. The start is that
/// at which fragmentation grows least, as in [`LeastGrowth`](crate::LeastGrowth).
#[derive(Clone, Copy, Debug)]
pub struct SpreadThenPack {
    /// Percent of the fleet's slots.
    pub threshold: u32,
}

impl SpreadThenPack {
    /// Half of the fleet.
    pub const DEFAULT: SpreadThenPack = SpreadThenPack { threshold: 50 };
}

impl Scheduler for SpreadThenPack {
    const PARAMETERS: &'static [Parameter<SpreadThenPack>] = &[Parameter {
        name: "threshold",
        summary: "percent of the fleet's slots up to which requests are spread",
        choices: no_choices,
        get: |scheduler| Some(scheduler.threshold.to_string()),
        set: |scheduler, text| whole(text, 0..=100).map(|threshold| scheduler.threshold = threshold),
    }];

    fn name(&self) -> &'static str {
        "spread-then-pack"
    }

    fn summary(&self) -> &'static str {
        "the least occupied GPU while the fleet is at most half occupied, then as least-growth"
    }

    fn reference(&self) -> &'static str {
        "after the abstract of Ting et al., arXiv 2512.16099 (conditional load balancing); condition and measure are migopt's"
    }

    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for SpreadThenPack {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let spreads = is_occupied_up_to(fleet, self.threshold);
        fleet.least(request, |group, profile| {
            let placements = &fleet.boards()[group.board.index()];
            let board = placements.board();
            let (growth, start) =
                blocked::least_growth(board, group.occupied, profile, placements.counted())?;
            let occupied = Ratio::new(i64::from(group.occupied.count()), i64::from(board.slots()));
            Some((if spreads { occupied } else { Ratio::from_integer(growth) }, start))
        })
    }
}

/// Whether at most so many percent of the slots of a fleet are occupied.
fn is_occupied_up_to(fleet: &Fleet<'_>, percent: u32) -> bool {
    let slots = |gpu| u64::from(fleet.board_of(gpu).board().slots());
    let occupied = |gpu| u64::from(fleet.occupied(gpu).count());
    let (all, used) =
        fleet.gpu_indices().fold((0, 0), |(all, used), gpu| (all + slots(gpu), used + occupied(gpu)));
    used * 100 <= u64::from(percent) * all
}
