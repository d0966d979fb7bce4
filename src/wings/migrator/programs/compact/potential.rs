//! What everything in a part of the search is worth under prices.

use super::domain::Domain;
use super::index::Slot;
use super::joint::Joint;
use super::kept::Packing;
use super::list::List;
use super::pricing::{Dearest, NEVER, Prices};
use super::rests::Rests;
use crate::instance::ModelIndex;

/// The bound of a part of the search under prices, and what it is made of.
pub struct Potential<'a, 'p> {
    /// The tasks.
    pub joint: &'a Joint<'p>,
    /// The open starts.
    pub domain: &'a Domain,
    /// The prices.
    pub prices: &'a Prices<i64>,
    /// What each slot pays at most.
    pub dearest: List<Slot, Dearest>,
    /// What the rest of the window is worth to each model.
    pub rests: List<ModelIndex, Rests<'a>>,
    /// How states become numbers.
    pub packing: Packing,
    /// No plan of the part is worth more.
    pub bound: i64,
}

impl<'a, 'p> Potential<'a, 'p> {
    /// `None` if no plan starts all retrainings at open starts.
    pub fn new(joint: &'a Joint<'p>, domain: &'a Domain, prices: &'a Prices<i64>) -> Option<Self> {
        let dearest = prices.dearest(joint, domain);
        let rests: List<ModelIndex, Rests<'a>> =
            joint.models().map(|model| Rests::new(joint, domain, prices, model)).collect();
        let of_slots = dearest.iter().map(|dearest| dearest.price);
        let mut bound = 0;
        for value in of_slots.chain(rests.iter().map(|rests| rests.whole(domain))) {
            if value == NEVER {
                return None;
            }
            bound += value;
        }
        Some(Potential { joint, domain, prices, dearest, rests, packing: Packing::of(joint), bound })
    }
}
