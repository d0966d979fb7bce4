//! Patterns of a kind of server that are worth more than a threshold, by branch and bound: with the pages of a large class on the server,
//! and without any type that has it; then with a type on the server, and without it.

use super::load::{Load, Takes};
use super::relaxation::{Care, Offer, Relaxation};

/// Nodes between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 1 << 12;

/// A class is decided on before types if at least so many of those on offer have it, and if its pages, times their number, are more than
/// this part of the memory.
pub(super) const LEAST_MEMBERS: usize = 4;
const PART_OF_MEMORY: i64 = 50;

/// With fewer nodes only types are decided on: that finds more, and so few nodes seldom prove anything.
const NODES_FOR_CLASSES: u64 = 10_000;

/// A search for valuable patterns.
pub struct Tree<'s> {
    load: Load<'s>,
    /// Whether classes are decided on before types.
    classes_first: bool,
    /// The classes whose pages are on the server ahead of any type.
    ahead: Vec<usize>,
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
        let classes_first = nodes >= NODES_FOR_CLASSES;
        Tree {
            load,
            classes_first,
            ahead: Vec::new(),
            relaxation,
            offers,
            of_room,
            most,
            threshold,
            nodes,
            stops,
        }
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
        if value > self.threshold && self.uses_all() && !visit(self, value) {
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
            if self.classes_first
                && let Some(class) = self.large_class()
            {
                self.load.hold_ahead(class);
                self.ahead.push(class);
                let with = self.on_offer(&offers);
                let goes_on = self.visit(value, with, of_room.clone(), visit);
                self.ahead.pop();
                self.load.let_go(class);
                if !goes_on {
                    return false;
                }
                let takes = self.load.takes;
                offers.retain(|offer| !takes.classes[offer.vm_type].contains(&class));
                continue;
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
                let rest = self.on_offer(&offers);
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

    /// Whether all that is held ahead is used. What does not use it is met where it is not held.
    fn uses_all(&self) -> bool {
        self.ahead.iter().all(|&class| self.load.is_used(class))
    }

    /// Those of some offers for which there is room now.
    fn on_offer(&self, offers: &[Offer]) -> Vec<Offer> {
        let now = offers.iter().map(|offer| Offer { most: self.load.most(offer.vm_type), ..*offer });
        now.filter(|offer| offer.most > 0).collect()
    }

    /// The class to decide on before types: the one whose pages, times those on offer that have it, are most.
    fn large_class(&self) -> Option<usize> {
        let takes = self.load.takes;
        let shared = |&(class, members): &(usize, usize)| takes.pages[class].saturating_mul(members as i64);
        let is_large = |class: &(usize, usize)| {
            class.1 >= LEAST_MEMBERS && shared(class) > takes.memory / PART_OF_MEMORY
        };
        self.relaxation.absent().filter(is_large).max_by_key(shared).map(|(class, _)| class)
    }
}
