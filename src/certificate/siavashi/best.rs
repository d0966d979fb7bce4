//! The most that a machine can be worth: by tables, and where these do not suffice by a search.

use super::machine::Machine;
use super::reliefs::Reliefs;
use super::search::{Effort, Search};
use super::table::Table;

/// What no content of a machine exceeds, and contents that are worth much.
pub struct Most {
    /// No content is worth more.
    pub bound: i64,
    /// Fills of the GPUs, the best content first.
    pub contents: Vec<Vec<usize>>,
}

impl Most {
    /// The most that a machine can be worth, in use or not.
    pub fn of(machine: &Machine<'_>, effort: Effort) -> Self {
        let floor = if machine.kind.pinned() > 0 { i64::MIN / 4 } else { 0 };
        let largest = (0..machine.kind.slots.len()).map(|slot| {
            let needs = || machine.room(slot).needs.iter().map(|&needs| machine.needs(needs));
            let most = |of: fn((i64, i64)) -> i64| needs().map(of).max().unwrap_or(0);
            (most(|needs| needs.0), most(|needs| needs.1))
        });
        let largest: Vec<(i64, i64)> = largest.collect();
        let mut table = Table::new(&largest, machine.capacities());
        let (reliefs, met) = Reliefs::tightened(machine, &mut table);
        let bound = reliefs.bound(&table, machine.capacities()).max(floor);
        if bound <= floor || effort.states == 0 {
            return Most { bound, contents: met };
        }
        Search::new(machine, &table, &reliefs, &largest).map_or(
            Most { bound, contents: met.clone() },
            |search| {
                let (bound, best) = search.most(bound, floor, effort);
                Most { bound, contents: best.into_iter().chain(met).collect() }
            },
        )
    }
}
