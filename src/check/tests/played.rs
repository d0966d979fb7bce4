//! The game itself: some order of creation against every choice of the driver, move by move.

use mig::{Board, Counts, GpuInstance, ProfileIndex, SlotMask};
use std::collections::BTreeMap;

/// What a multiset comes to, found by playing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    EveryOrder,
    SomeOrder,
    NoOrder,
    NoLayout,
}

/// Plays a multiset: all orders, all choices.
pub fn outcome(board: &Board, counts: &Counts) -> Outcome {
    if !fits(board, counts) {
        return Outcome::NoLayout;
    }
    let mut orders = Vec::new();
    permute(counts, &mut Vec::new(), &mut orders);
    let won = orders.iter().filter(|order| wins(board, order)).count();
    match won {
        0 => Outcome::NoOrder,
        won if won == orders.len() => Outcome::EveryOrder,
        _ => Outcome::SomeOrder,
    }
}

/// Whether an order succeeds for every choice of the driver.
pub fn wins(board: &Board, order: &[ProfileIndex]) -> bool {
    survives(board, order, SlotMask::EMPTY, &mut BTreeMap::new())
}

fn survives(
    board: &Board,
    order: &[ProfileIndex],
    occupied: SlotMask,
    known: &mut BTreeMap<(usize, SlotMask), bool>,
) -> bool {
    let Some((&profile, rest)) = order.split_first() else { return true };
    if let Some(&known) = known.get(&(order.len(), occupied)) {
        return known;
    }
    let footprints: Vec<SlotMask> = free(board, profile, occupied);
    let wins = !footprints.is_empty()
        && footprints.into_iter().all(|taken| survives(board, rest, occupied.union(taken), known));
    known.insert((order.len(), occupied), wins);
    wins
}

/// Slots that an instance of the profile may take beside the occupied ones.
fn free(board: &Board, profile: ProfileIndex, occupied: SlotMask) -> Vec<SlotMask> {
    let starts = board.profile(profile).starts.iter();
    let footprints = starts.map(|&start| board.footprint(GpuInstance { profile, start }));
    footprints.filter(|footprint| !footprint.intersects(occupied)).collect()
}

/// Whether some choices lay everything out within the limits.
pub fn fits(board: &Board, counts: &Counts) -> bool {
    let within = board.limits().iter().all(|limit| limit.used_by(counts) <= limit.capacity);
    within && places(board, counts, SlotMask::EMPTY)
}

fn places(board: &Board, counts: &Counts, occupied: SlotMask) -> bool {
    let Some((profile, _)) = counts.iter().next() else { return true };
    let rest = counts.remove_one(profile).unwrap();
    free(board, profile, occupied).into_iter().any(|taken| places(board, &rest, occupied.union(taken)))
}

fn permute(counts: &Counts, order: &mut Vec<ProfileIndex>, orders: &mut Vec<Vec<ProfileIndex>>) {
    if counts.is_zero() {
        orders.push(order.clone());
    }
    for (profile, _) in counts.iter() {
        order.push(profile);
        permute(&counts.remove_one(profile).unwrap(), order, orders);
        order.pop();
    }
}
