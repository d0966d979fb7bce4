//! How long before its first slot the creation of an instance can begin (pre-initialisation, section 4.2 of the paper).
//!
//! An instance is created ahead on memory slots that are free without interruption until its task gets it. Two instances that
//! are created ahead at the same time never claim the same memory slot: if both begin in one slot of the window, they are in
//! one layout; else the later one's memory slots are free in the slot in which the earlier one begins, so the two are disjoint
//! from then on and, as neither moves, before. Limits of the board other than its memory slots are kept too, earlier
//! instances first.

use super::lifetime::Lifetime;
use crate::instance::Problem;
use ground::Amount;
use kit::TaskKind;
use mig::SlotMask;

/// Seconds before its first slot at which the creation of each instance can begin: at most those of a reconfiguration of its
/// model, and none for retrainings. The instances are in the order of their first slots.
pub fn prepared_seconds(problem: &Problem, lifetimes: &[Lifetime]) -> Vec<Amount> {
    let board = &problem.gpu.board;
    let slots = problem.slots as usize;
    let mut occupied = vec![SlotMask::EMPTY; slots];
    let mut remaining = vec![board.full_limits(); slots];
    for lifetime in lifetimes {
        for slot in lifetime.slots(slots) {
            occupied[slot] = occupied[slot].union(board.footprint(lifetime.instance));
            if let Some(left) = remaining[slot].take(board, lifetime.instance.profile) {
                remaining[slot] = left;
            }
        }
    }
    let seconds = |lifetime: &Lifetime| {
        if lifetime.task == TaskKind::Retraining {
            return Amount::ZERO;
        }
        let needed = problem.model(lifetime.model).reconfiguration;
        let footprint = board.footprint(lifetime.instance);
        let mut ahead = Amount::ZERO;
        for slot in (0..(lifetime.from as usize).min(slots)).rev() {
            if ahead >= needed || occupied[slot].intersects(footprint) {
                break;
            }
            let Some(left) = remaining[slot].take(board, lifetime.instance.profile) else { break };
            remaining[slot] = left;
            ahead += problem.basis;
        }
        ahead.min(needed)
    };
    lifetimes.iter().map(seconds).collect()
}
