//! Patterns of a kind of server that are worth more than a threshold, by branch and bound: with a type on the server, and without it.

use super::load::{Load, Takes};
use super::relaxation::{Care, Offer, Relaxation};

/// Nodes between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 1 << 12;

/// A search for valuable patterns.
pub struct Tree<'s> {
    load: Load<'s>,
    relaxation: Relaxation,
    /// What is on offer for an empty server, what prices of its room are best, and what it can be worth at most.
    offers: Vec<Offer>,
    of_room: Vec<i64>,
    most: i64,
    /// Only patterns that are worth more are of interest.
    pub threshold: i64,
    /// Nodes left.
    pub nodes: u64,
    stops: &'s dyn Fn() -> bool,
}

/// What is done with a pattern and its value; whether the search goes on.
type Visit<'v> = dyn FnMut(&mut Tree<'_>, i64) -> bool + 'v;

impl<'s> Tree<'s> {
    /// A search on servers of a kind, with types that are worth at least so much.
    pub fn new(
        takes: &'s Takes,
        (prices, least): (&[i64], i64),
        (threshold, nodes): (i64, u64),
        stops: &'s dyn Fn() -> bool,
    ) -> Self {
        let load = Load::new(takes);
        let types = (0..prices.len()).filter(|&vm_type| prices[vm_type] >= least);
        let offer = |vm_type: usize| Offer { vm_type, price: prices[vm_type], most: load.most(vm_type) };
        let mut offers: Vec<Offer> = types.map(offer).filter(|offer| offer.most > 0).collect();
        offers.sort_by_key(|offer| (takes.private[offer.vm_type], offer.vm_type));
        let mut relaxation = Relaxation::new(&load, &offers);
        relaxation.aim(&load, &offers);
        let mut of_room = vec![0; relaxation.largest.len()];
        of_room[0] = relaxation.largest[0];
        let most = relaxation.most(&load, &offers, &mut of_room, (threshold, Care::Thorough));
        Tree { load, relaxation, offers, of_room, most, threshold, nodes, stops }
    }

    /// What is on the server.
    pub fn load(&self) -> &Load<'s> {
        &self.load
    }

    /// No pattern is worth more.
    pub fn most(&self) -> i64 {
        self.most
    }

    /// Visits the patterns, until the visitor has enough; whether the search is complete. The visitor may raise the threshold.
    pub fn run(&mut self, visit: &mut Visit<'_>) -> bool {
        self.visit(0, self.offers.clone(), self.of_room.clone(), visit)
    }

    /// Visits what is on the server, and what may be added to it.
    fn visit(
        &mut self,
        value: i64,
        mut offers: Vec<Offer>,
        mut of_room: Vec<i64>,
        visit: &mut Visit<'_>,
    ) -> bool {
        if value > self.threshold && !visit(self, value) {
            return false;
        }
        while !offers.is_empty() {
            if self.nodes == 0 || (self.nodes.is_multiple_of(NODES_BETWEEN_LOOKS) && (self.stops)()) {
                return false;
            }
            self.nodes -= 1;
            self.relaxation.aim(&self.load, &offers);
            let enough = self.threshold - value;
            if self.relaxation.most(&self.load, &offers, &mut of_room, (enough, Care::Quick)) <= enough {
                return true;
            }
            // The type whose absence costs most.
            let decided = |position: &usize| (self.relaxation.gain(*position), offers[*position].price);
            let next = (0..offers.len()).max_by_key(decided).expect("there is an offer");
            let is_last = self.relaxation.suffices_without(next, enough);
            let offer = offers.remove(next);
            let (mut taken, mut goes_on) = (0, true);
            while goes_on && taken < offer.most {
                self.load.take(offer.vm_type);
                taken += 1;
                let rest = offers.iter().map(|rest| Offer { most: self.load.most(rest.vm_type), ..*rest });
                let rest = rest.filter(|rest| rest.most > 0).collect();
                let value = value + offer.price * i64::from(taken);
                goes_on = self.visit(value, rest, of_room.clone(), visit);
            }
            (0..taken).for_each(|_| self.load.put_back(offer.vm_type));
            if !goes_on {
                return false;
            }
            if is_last {
                return true;
            }
        }
        true
    }
}
