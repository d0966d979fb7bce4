//! Exchanges at random, until no machine lacks cores or memory.

use super::additions::Changes;
use super::budgets::{Budgets, NOTHING};
use super::relief::{Exchange, Relief, Settled};
use crate::instance::MachineIndex;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// After so many exchanges drawn for each GPU since machines lacked less the rest is left as it is.
const TRIALS: usize = 4_000;

/// The same of all GPUs at most.
const MOST_TRIALS: usize = 2_000_000;

/// One exchange of so many is drawn between any machines, so that what is to spare comes together.
const ANYWHERE: usize = 2;

/// Draws exchanges between a machine that lacks something and another one, and between any two, and makes them unless both together then lack
/// more: of those that change nothing some open the way for others. For contents in which nothing has to stay; none are drawn where machines in
/// use lack something all together.
pub fn shuffle(budgets: &mut Budgets, changes: &Changes<'_>, settled: &mut [Settled]) {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut of_machine: BTreeMap<MachineIndex, Vec<usize>> = BTreeMap::new();
    for (position, settled) in settled.iter().enumerate() {
        of_machine.entry(settled.machine).or_default().push(position);
    }
    if !budgets.suffice(of_machine.keys().copied()) {
        return;
    }
    let mut lacking = budgets.lacking();
    let trials = MOST_TRIALS.min(TRIALS * settled.len());
    let mut left = trials;
    // What all machines lack less than at first, and the most of that so far.
    let (mut gained, mut most) = (0.0, 0.0);
    while !lacking.is_empty() && left > 0 {
        left -= 1;
        let from = match random.random_range(0..ANYWHERE) {
            0 => random.random_range(0..settled.len()),
            _ => {
                let machine = lacking[random.random_range(0..lacking.len())];
                let Some(here) = of_machine.get(&machine) else { return };
                here[random.random_range(0..here.len())]
            }
        };
        let (machine, to) = (settled[from].machine, random.random_range(0..settled.len()));
        let other = settled[to].machine;
        if other == machine {
            continue;
        }
        let Some(exchange) = drawn(settled, from, to, &mut random) else { continue };
        let relief = Relief { budgets, changes, settled };
        let more = relief.more(exchange);
        let gain = budgets.gain(machine, other, more);
        if gain < -NOTHING || !relief.is_possible(exchange) {
            continue;
        }
        gained += gain;
        if gained > most + NOTHING {
            (most, left) = (gained, trials);
        }
        budgets.shift(machine, other, more);
        exchange.apply(budgets, changes.alike, settled);
        lacking.retain(|&lacking| lacking != machine && lacking != other);
        lacking.extend([machine, other].into_iter().filter(|&machine| budgets.lacks(machine)));
    }
}

/// An exchange between two GPUs; none if what is drawn is not there.
fn drawn(settled: &[Settled], from: usize, to: usize, random: &mut ChaCha8Rng) -> Option<Exchange> {
    let one_of = |position: usize, random: &mut ChaCha8Rng| {
        let workloads = settled[position].addition.workloads.len();
        (workloads > 0).then(|| (position, random.random_range(0..workloads)))
    };
    Some(match random.random_range(0..3) {
        0 => Exchange::Additions(from, to),
        1 => Exchange::Workloads(one_of(from, random)?, one_of(to, random)?),
        _ => Exchange::Shift(one_of(from, random)?, to),
    })
}
