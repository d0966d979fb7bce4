//! Prices on what tasks have in each slot, and the upper bound that follows from them.
//!
//! Let p(m, s, a) be the price of allocation a of model m in slot s, and q(m, s, k) that of its retraining on size k. For every
//! plan
//!
//! ```text
//! goodput = sum of (goodput - prices) of each model + sum of the prices paid in each slot
//!        <= sum over models of the best path        + sum over slots of the dearest contents that fit.
//! ```
//!
//! Prices of retrainings that a part of the search leaves out are not paid by any slot of it.

use super::domain::Domain;
use super::index::{AllocationIndex, ContentsIndex, RetrainingIndex, RoomIndex, Slot};
use super::joint::{Joint, Running};
use super::list::{List, Table};
use crate::instance::ModelIndex;

/// Less than any sum of goodput and prices, so that nothing possible is mistaken for it, and so far from the least number that
/// sums with it do not overflow.
pub const NEVER: i64 = i64::MIN / 4;

/// Prices; in units of goodput they are whole.
#[derive(Clone)]
pub struct Prices<T> {
    /// Of allocations.
    pub allocations: List<ModelIndex, Table<Slot, AllocationIndex, T>>,
    /// Of running retrainings.
    pub retrainings: List<ModelIndex, Table<RetrainingIndex, Slot, T>>,
}

impl<T: Clone> Prices<T> {
    /// Everything has the same price.
    pub fn same(joint: &Joint<'_>, price: T) -> Self {
        let slots = joint.slot_count();
        let tasks = || joint.tasks.iter();
        Prices {
            allocations: tasks()
                .map(|task| Table::filled(slots, task.allocations.len(), price.clone()))
                .collect(),
            retrainings: tasks()
                .map(|task| Table::filled(task.retrainings.len(), slots, price.clone()))
                .collect(),
        }
    }

    /// Other prices of the same things.
    pub fn map<U>(&self, change: impl Fn(&T) -> U) -> Prices<U> {
        Prices {
            allocations: self.allocations.iter().map(|prices| prices.map(&change)).collect(),
            retrainings: self.retrainings.iter().map(|prices| prices.map(&change)).collect(),
        }
    }

    /// All prices, those of allocations first.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        let allocations = self.allocations.iter().flat_map(Table::cells);
        allocations.chain(self.retrainings.iter().flat_map(Table::cells))
    }

    /// Changes every price by itself.
    pub fn change(&mut self, change: impl Fn(&mut T)) {
        let allocations = self.allocations.iter_mut().flat_map(Table::cells_mut);
        allocations.chain(self.retrainings.iter_mut().flat_map(Table::cells_mut)).for_each(change);
    }

    /// Changes every price by what others say of the same thing.
    pub fn change_by<U>(&mut self, others: &Prices<U>, change: impl Fn(&mut T, &U)) {
        fn cell_by_cell<T, U>(own: &mut [T], others: &[U], change: impl Fn(&mut T, &U)) {
            own.iter_mut().zip(others).for_each(|(own, other)| change(own, other));
        }
        for (own, others) in self.allocations.iter_mut().zip(others.allocations.iter()) {
            cell_by_cell(own.cells_mut(), others.cells(), &change);
        }
        for (own, others) in self.retrainings.iter_mut().zip(others.retrainings.iter()) {
            cell_by_cell(own.cells_mut(), others.cells(), &change);
        }
    }
}

/// The contents of a slot that cost most.
#[derive(Clone, Copy)]
pub struct Dearest {
    /// What they cost.
    pub price: i64,
    /// Which they are.
    pub contents: ContentsIndex,
}

impl Prices<i64> {
    /// The dearest contents that fit and may be there, of equally dear ones the first; [`NEVER`] where nothing may be.
    pub fn dearest(&self, joint: &Joint<'_>, domain: &Domain) -> List<Slot, Dearest> {
        let mut of_rooms: List<RoomIndex, Option<(i64, usize)>> = List::filled(joint.choices.len(), None);
        let dearest = |slot: Slot| {
            of_rooms.fill(None);
            let mut best = Dearest { price: NEVER, contents: ContentsIndex(0) };
            for mode in joint.modes.iter().filter(|mode| domain.may_all_run(&mode.running, slot)) {
                let (allocations, choice) =
                    *of_rooms[mode.room].get_or_insert_with(|| self.dearest_choice(joint, mode.room, slot));
                let price = allocations + self.of_running(slot, &mode.running);
                if price > best.price {
                    best = Dearest { price, contents: ContentsIndex::at(mode.first.index() + choice) };
                }
            }
            best
        };
        joint.slots().map(dearest).collect()
    }

    /// The price of the dearest allocations that fit into a room, and the first choice of that price.
    fn dearest_choice(&self, joint: &Joint<'_>, room: RoomIndex, slot: Slot) -> (i64, usize) {
        let prices: List<ModelIndex, &[i64]> =
            self.allocations.iter().map(|prices| prices.row(slot)).collect();
        let mut best = (NEVER, 0);
        for (position, choice) in joint.choices[room].rows().enumerate() {
            let price = choice.iter().zip(prices.iter()).map(|(held, prices)| prices[held.index()]).sum();
            if price > best.0 {
                best = (price, position);
            }
        }
        best
    }

    /// The price of what runs in a slot.
    fn of_running(&self, slot: Slot, running: &Running) -> i64 {
        let running = running.iter().zip(self.retrainings.iter());
        running.filter_map(|(running, prices)| running.map(|running| prices[(running, slot)])).sum()
    }
}

/// The sum, of which [`NEVER`] takes everything.
pub fn plus(one: i64, other: i64) -> i64 {
    if one == NEVER || other == NEVER { NEVER } else { one + other }
}
