//! Worths of single GPUs that together are no less than the worth of the machine.
//!
//! Workloads of a demand are worth less one after the other, and there may be fewer than a machine has room for: a GPU by itself does
//! not see what the others hold. Let every one of them count a number ρ instead, and the machine what those gain that are worth more.
//! For any ρ and any number that is at least as much.

use super::machine::{Gains, Machine};
use super::table::{Table, Valued};
use std::cmp::{Ordering, Reverse};

/// How often numbers are halved towards the best ones.
const TRIES: usize = 8;

/// What workloads count on single GPUs.
pub struct Reliefs {
    /// By demand: ρ.
    pub each: Vec<i64>,
    /// What the machine counts before it holds anything.
    pub base: i64,
}

impl Reliefs {
    fn of(machine: &Machine<'_>, each: Vec<i64>) -> Self {
        let gained = machine.demands.iter().map(|&demand| {
            let (gains, each) = (&machine.gains[demand], each[demand]);
            gains.values.iter().map(|&value| (value - each).max(0)).sum::<i64>()
        });
        Reliefs { base: machine.base + gained.sum::<i64>(), each }
    }

    /// No content is worth more, where the table was filled with these.
    pub fn bound(&self, table: &Table, (cpu, memory): (i64, i64)) -> i64 {
        self.base + table.most(0, cpu, memory)
    }

    /// Reliefs that make the bound low, with which the table is filled, and the fills that are met on the way.
    pub fn tightened(machine: &Machine<'_>, table: &mut Table) -> (Self, Vec<Vec<usize>>) {
        let range = |gains: &Gains| {
            let most = gains.values.first().copied().unwrap_or(0);
            let least = gains.values.last().copied().unwrap_or(0);
            (
                if gains.is_scarce { least.min(0) } else { least },
                most.max(if gains.is_scarce { 0 } else { most }),
            )
        };
        let mut between: Vec<(i64, i64)> = machine.gains.iter().map(range).collect();
        let mut each: Vec<i64> = between.iter().map(|between| between.1).collect();
        let (mut best, mut met): (Option<(i64, Reliefs)>, Vec<Vec<usize>>) = (None, Vec::new());
        let mut is_best = false;
        for _ in 0..=TRIES {
            let reliefs = Reliefs::of(machine, each.clone());
            let valued = reliefs.undone(machine);
            table.fill(&valued);
            let bound = reliefs.bound(table, machine.capacities());
            is_best = best.as_ref().is_none_or(|best| bound < best.0);
            if is_best {
                best = Some((bound, reliefs));
            }
            let fills = table.fills(&valued, machine.capacities());
            let moves = halve(machine, &fills, &mut each, &mut between);
            if !met.contains(&fills) && fills.len() == machine.kind.slots.len() {
                met.insert(0, fills);
            }
            if !moves {
                break;
            }
        }
        let (_, best) = best.expect("there was a try");
        if !is_best {
            let valued = best.undone(machine);
            table.fill(&valued);
        }
        (best, met)
    }

    /// What a fill of a GPU is worth.
    pub fn worth(&self, machine: &Machine<'_>, slot: usize, fill: usize) -> i64 {
        let counts = &machine.fills(slot)[fill].counts;
        let held: i64 = counts.iter().map(|&(demand, number)| self.each[demand] * i64::from(number)).sum();
        held + machine.of_gpu[slot][fill]
    }

    /// The fills of each GPU that no other one outdoes with no less worth, no more cores and no more memory.
    fn undone(&self, machine: &Machine<'_>) -> Vec<Vec<Valued>> {
        let slots = &machine.kind.slots;
        let mut undone: Vec<Vec<Valued>> = Vec::with_capacity(slots.len());
        for slot in 0..slots.len() {
            if slot > 0 && slots[slot - 1] == slots[slot] {
                undone.push(undone[slot - 1].clone());
                continue;
            }
            let room = machine.room(slot);
            let mut best: Vec<Option<(i64, usize)>> = vec![None; room.needs.len()];
            for (fill, &need) in room.need_of.iter().enumerate() {
                let worth = self.worth(machine, slot, fill);
                if best[need].is_none_or(|best| worth > best.0) {
                    best[need] = Some((worth, fill));
                }
            }
            let valued = room.needs.iter().zip(best).filter_map(|(&needs, best)| {
                let ((worth, fill), (cpu, memory)) = (best?, machine.needs(needs));
                Some(Valued { worth, fill, cpu, memory })
            });
            let mut valued: Vec<Valued> = valued.collect();
            valued.sort_unstable_by_key(|valued| {
                (Reverse(valued.worth), valued.cpu, valued.memory, valued.fill)
            });
            let mut kept: Vec<Valued> = Vec::new();
            for one in valued {
                if !kept.iter().any(|other| other.cpu <= one.cpu && other.memory <= one.memory) {
                    kept.push(one);
                }
            }
            undone.push(kept);
        }
        undone
    }
}

/// Moves every number to where these fills hold as many workloads as are worth more than it; whether any moves.
fn halve(machine: &Machine<'_>, fills: &[usize], each: &mut [i64], between: &mut [(i64, i64)]) -> bool {
    let mut held = vec![0; each.len()];
    for (slot, &fill) in fills.iter().enumerate() {
        for &(demand, number) in &machine.fills(slot)[fill].counts {
            held[demand] += number as usize;
        }
    }
    let mut moves = false;
    for &demand in &machine.demands {
        let values = &machine.gains[demand].values;
        let more = values.partition_point(|&value| value > each[demand]);
        let no_less = values.partition_point(|&value| value >= each[demand]);
        let (low, high) = &mut between[demand];
        let order = match held[demand] {
            held if held > no_less => Ordering::Greater,
            held if held < more => Ordering::Less,
            _ => continue,
        };
        match order {
            Ordering::Greater => *high = each[demand],
            _ => *low = each[demand],
        }
        let middle = *low + (*high - *low) / 2;
        moves |= middle != each[demand];
        each[demand] = middle;
    }
    moves
}
