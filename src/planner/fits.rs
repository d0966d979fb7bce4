//! What can be held side by side.

use mig::SlotMask;
use plan::{Place, Transition};

/// Whether a place can be held beside others on its GPU.
pub fn fits(transition: &Transition, others: &[Place], place: Place) -> bool {
    let board = transition.cluster.board_of(place.gpu);
    let used = others.iter().fold(SlotMask::EMPTY, |used, other| used.union(board.footprint(other.instance)));
    !used.intersects(board.footprint(place.instance))
        && board.limits().iter().all(|limit| {
            let usage = |place: &Place| limit.usage[place.instance.profile.index()];
            others.iter().map(usage).sum::<u32>() + usage(&place) <= limit.capacity
        })
}
