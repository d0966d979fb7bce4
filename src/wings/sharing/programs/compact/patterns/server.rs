//! Servers of a kind as a part of the search by prices.

use super::exchange::{complete, exchanged, value};
use super::load::{Load, Takes};
use super::pattern::Pattern;
use super::tree::Tree;
use super::types::Types;
use prices::{Column, Effort, Limits, ONE, Part, Priced};

/// Nodes of a search for the most valuable pattern, by the beam, and of all searches together at most: then the program over page classes
/// takes over.
const NODES_OF_BEAM: u64 = 10;
const MOST_NODES: u64 = 100_000_000;

/// Nodes of one listing.
const NODES_OF_LISTING: u64 = 500_000;

/// Patterns that one round takes at most.
const PATTERNS_AT_A_TIME: usize = 30;

/// The servers of a kind.
pub struct Servers<'t> {
    types: &'t Types<'t>,
    takes: Takes,
    /// Position of the kind.
    kind: usize,
    /// What each costs when it is in use, in units.
    cost: i64,
    /// The total that counts those in use, where there is one.
    in_use: Option<usize>,
    limits: &'t Limits<'t>,
    /// Nodes of all searches so far.
    pub nodes: u64,
}

impl<'t> Servers<'t> {
    /// The servers of a kind, by its position.
    pub fn new(
        types: &'t Types<'t>,
        kind: usize,
        cost: i64,
        in_use: Option<usize>,
        limits: &'t Limits<'t>,
    ) -> Self {
        Servers { types, takes: Takes::new(types, kind), kind, cost, in_use, limits, nodes: 0 }
    }

    /// What a pattern of virtual machines has to be worth for a content to be worth this, in prices of virtual machines alone.
    fn of_server(&self, prices: &[i64]) -> i64 {
        self.cost * ONE - self.in_use.map_or(0, |total| prices[total])
    }

    fn is_stopped(&self) -> bool {
        self.limits.stop().is_some()
    }
}

impl Part for Servers<'_> {
    type Content = Pattern;

    fn number(&self) -> u32 {
        self.types.kinds[self.kind].1.len() as u32
    }

    fn plain(&self) -> Pattern {
        Pattern::default()
    }

    fn column(&self, content: &Pattern) -> Column {
        if content.0.is_empty() {
            return Column::default();
        }
        let held = content.0.iter().map(|&(vm_type, count)| (vm_type, i64::from(count)));
        Column { cost: self.cost, terms: held.chain(self.in_use.map(|total| (total, 1))).collect() }
    }

    fn contents_at_a_time(&self) -> usize {
        PATTERNS_AT_A_TIME
    }

    fn price(&mut self, prices: &[i64], effort: Effort) -> Priced<Pattern> {
        self.price_up_to(prices, effort, 0)
    }

    fn price_up_to(&mut self, prices: &[i64], effort: Effort, enough: i64) -> Priced<Pattern> {
        let of_vms = &prices[..self.types.vms.len()];
        let of_server = self.of_server(prices);
        let mut patterns = exchanged(&self.takes, of_vms);
        let known = patterns.first().map_or(0, |pattern| value(pattern, of_vms));
        let stops = || self.is_stopped();
        // What is enough for all kinds alike is not where another kind has more to offer: in the end, the proof is exact.
        let enough = if effort == Effort::Exact { 0 } else { enough };
        let threshold = known.max(of_server.saturating_add(enough));
        let nodes = match effort {
            Effort::Beam(beam) => beam as u64 * NODES_OF_BEAM,
            Effort::Exact => MOST_NODES.saturating_sub(self.nodes),
        };
        let mut tree = Tree::new(&self.takes, (of_vms, 1), (threshold, nodes), &stops);
        let mut found = Vec::new();
        let is_complete = tree.run(&mut |tree, value| {
            tree.threshold = value;
            found.push(tree.load().pattern());
            true
        });
        let most = if is_complete { tree.most().min(tree.threshold) } else { tree.most() };
        let used = nodes - tree.nodes;
        self.nodes += used;
        let completed = found.iter().rev().map(|pattern| {
            let mut load = Load::of(&self.takes, pattern);
            complete(&mut load, of_vms);
            load.pattern()
        });
        patterns.splice(0..0, completed);
        let best = patterns.first().map_or(0, |pattern| value(pattern, of_vms));
        let most = most.max(best);
        Priced { most: (most - of_server).max(0), is_exact: most <= best.max(of_server), contents: patterns }
    }

    fn list(&mut self, prices: &[i64], least: i64, most: usize) -> Option<Vec<Pattern>> {
        let of_vms = &prices[..self.types.vms.len()];
        let threshold = least.saturating_add(self.of_server(prices)).max(0) - 1;
        let stops = || self.is_stopped();
        let mut tree = Tree::new(&self.takes, (of_vms, 0), (threshold, NODES_OF_LISTING), &stops);
        let mut patterns = Vec::new();
        let is_complete = tree.run(&mut |tree, _| {
            if tree.load().is_maximal() {
                patterns.push(tree.load().pattern());
            }
            patterns.len() <= most
        });
        self.nodes += NODES_OF_LISTING - tree.nodes;
        if least <= 0 && !patterns.contains(&Pattern::default()) {
            patterns.push(Pattern::default());
        }
        (is_complete && patterns.len() <= most).then_some(patterns)
    }
}
