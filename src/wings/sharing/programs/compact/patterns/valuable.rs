//! The proof that no pattern is worth more than a threshold, or one that is.
//!
//! A search depth first does it unless it grows too large. Then it is divided by the first type in the order that the server holds: with some
//! of that type on the server its classes are paid for, fewer types have room beside it, of which each counts a larger share of the
//! loose classes that are left, and new tables say more.

use super::completions::Completions;
use super::filling::Filling;
use super::order::Order;
use super::pattern::Pattern;
use super::steps::Steps;
use super::walk::Walk;

/// Nodes of a search before it is divided.
const NODES_BEFORE_DIVIDING: u64 = 4_000;

/// Entries of the tables of a divided search.
const ENTRIES: i64 = 200_000;

/// So many entries of tables count as a node.
const ENTRIES_OF_NODE: u64 = 100;

/// A search for patterns that are worth more than a threshold.
pub struct Valuable<'s> {
    pub order: &'s Order,
    pub prices: &'s [i64],
    /// No pattern is known to be worth more.
    pub threshold: i64,
    /// Nodes left.
    pub nodes: u64,
    pub stops: &'s dyn Fn() -> bool,
    /// Patterns that are worth more than the threshold was, each worth more than the one before.
    pub patterns: Vec<Pattern>,
}

impl Valuable<'_> {
    /// Completes a server by types from a place of the order on, where what is on it is worth `value`; whether the search came to an end.
    /// The first tables are larger.
    pub fn run(&mut self, server: &mut Filling<'_>, place: usize, value: i64, entries: Option<i64>) -> bool {
        let steps = Steps::new(self.order, server, place, self.prices, 1);
        let entries = entries.unwrap_or(ENTRIES);
        let completions = Completions::new(server.types, &steps, entries);
        self.nodes = self.nodes.saturating_sub(completions.entries() / ENTRIES_OF_NODE);
        if value + completions.all(&steps) <= self.threshold {
            return true;
        }
        let budget = NODES_BEFORE_DIVIDING.min(self.nodes);
        let mut walk = Walk::new(server.types, (&steps, &completions), self.threshold, budget, self.stops);
        let patterns = &mut self.patterns;
        let is_complete = walk.run(value, &mut |walk, value| {
            walk.threshold = value;
            let mut held = server.pattern().0;
            held.extend_from_slice(walk.added());
            held.sort_unstable();
            patterns.push(Pattern(held));
            true
        });
        self.threshold = walk.threshold;
        self.nodes -= budget - walk.nodes;
        if is_complete {
            return true;
        }
        if self.nodes == 0 || (self.stops)() {
            return false;
        }
        self.divide(server, &steps, value)
    }

    fn divide(&mut self, server: &mut Filling<'_>, steps: &Steps, value: i64) -> bool {
        for step in &steps.steps {
            let (mut taken, mut goes_on) = (0, true);
            while goes_on && taken < step.most && server.fits(step.vm_type) {
                server.take(step.vm_type);
                taken += 1;
                let value = value + step.price * i64::from(taken);
                if value > self.threshold {
                    self.threshold = value;
                    self.patterns.push(server.pattern());
                }
                goes_on = self.run(server, step.place + 1, value, None);
            }
            (0..taken).for_each(|_| server.put_back(step.vm_type));
            if !goes_on {
                return false;
            }
        }
        true
    }
}
