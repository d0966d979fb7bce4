//! Servers of a kind as a part of the search by prices.

use super::completions::Completions;
use super::filling::Filling;
use super::greedy::{complete, fill};
use super::labels::{Labelled, Labelling};
use super::order::Order;
use super::pattern::Pattern;
use super::steps::Steps;
use super::types::Types;
use super::valuable::Valuable;
use super::walk::Walk;
use prices::{Column, Effort, Limits, ONE, Part, Priced};
use std::cmp::Reverse;

/// Nodes of a search for the most valuable pattern, by the beam, and of all of the most thorough ones together: then the program over page
/// classes takes over.
const NODES_OF_LABEL: u64 = 10_000;
const MOST_NODES: u64 = 1_000_000_000;

/// Entries of the tables.
const OF_PRICING: i64 = 3_000_000;
const OF_LISTING: i64 = 6_000_000;

/// Labels of the widest beam.
const MOST_LABELS: usize = 3_000;

/// Nodes of one listing.
const NODES_OF_LISTING: u64 = 30_000_000;

/// Patterns that one round takes at most.
const PATTERNS_AT_A_TIME: usize = 30;

/// The servers of a kind.
pub struct Servers<'t> {
    pub types: &'t Types<'t>,
    pub order: &'t Order,
    /// Position of the kind.
    pub kind: usize,
    /// What each costs when it is in use, in units.
    pub cost: i64,
    /// The total that counts those in use, where there is one.
    pub in_use: Option<usize>,
    pub limits: &'t Limits<'t>,
    /// Labels and nodes of all searches so far.
    pub nodes: u64,
}

impl Servers<'_> {
    /// What a pattern of virtual machines has to be worth for a content to be worth this, in prices of virtual machines alone.
    fn of_server(&self, prices: &[i64]) -> i64 {
        self.cost * ONE - self.in_use.map_or(0, |total| prices[total])
    }

    /// Patterns that are worth more than `known`, by labels.
    fn label(&mut self, (steps, completions): (&Steps, &Completions), known: i64, beam: usize) -> Labelled {
        let (types, stops) = (self.types, || self.is_stopped());
        let labelling = Labelling { types, steps, completions, stops: &stops };
        let labelled = labelling.run(known, beam);
        self.nodes += labelled.labels;
        labelled
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
        let value = |pattern: &Pattern| -> i64 {
            pattern.0.iter().map(|&(vm_type, count)| of_vms[vm_type] * i64::from(count)).sum()
        };
        let mut patterns = fill(self.types, self.kind, of_vms);
        let mut empty = Filling::new(self.types, self.kind);
        let steps = Steps::new(self.order, &empty, 0, of_vms, 1);
        let completions = Completions::new(self.types, &steps, OF_PRICING);
        let (beam, nodes) = match effort {
            Effort::Beam(beam) => (beam.min(MOST_LABELS), beam as u64 * NODES_OF_LABEL),
            Effort::Exact => (MOST_LABELS, MOST_NODES.saturating_sub(self.nodes)),
        };
        let known = patterns.iter().map(value).max().unwrap_or(0);
        let labelled = self.label((&steps, &completions), known, beam);
        let best = labelled.patterns.first().map_or(known, value);
        let mut most = labelled.most.min(completions.all(&steps)).max(best);
        let mut found = labelled.patterns;
        // Where more than enough is known to be there, a proof of less is not to be had.
        let of_server = self.of_server(prices);
        let threshold = best.max(of_server.saturating_add(enough));
        let is_hopeless = best > of_server.saturating_add(enough) && effort != Effort::Exact && enough > 0;
        if most > threshold && !is_hopeless {
            let stops = || self.is_stopped();
            let (order, patterns) = (self.order, Vec::new());
            let mut valuable = Valuable { order, prices: of_vms, threshold, nodes, stops: &stops, patterns };
            if valuable.run(&mut empty, 0, 0, Some(OF_PRICING)) {
                most = most.min(valuable.threshold);
            }
            let left = valuable.nodes;
            found.extend(valuable.patterns);
            self.nodes += nodes - left;
        }
        let completed = found.iter().map(|pattern| {
            let mut filling = Filling::of(self.types, self.kind, pattern);
            complete(&mut filling, of_vms);
            filling.pattern()
        });
        patterns.extend(completed);
        patterns.sort_by_cached_key(|pattern| (Reverse(value(pattern)), pattern.clone()));
        patterns.dedup();
        let best = patterns.first().map_or(0, value);
        let is_exact = most <= best.max(of_server);
        Priced { most: (most - of_server).max(0), is_exact, contents: patterns }
    }

    fn list(&mut self, prices: &[i64], least: i64, most: usize) -> Option<Vec<Pattern>> {
        let of_vms = &prices[..self.types.vms.len()];
        let empty = Filling::new(self.types, self.kind);
        let steps = Steps::new(self.order, &empty, 0, of_vms, 0);
        let completions = Completions::new(self.types, &steps, OF_LISTING);
        let threshold = least.saturating_add(self.of_server(prices)).max(0) - 1;
        let stops = || self.is_stopped();
        let parts = (&steps, &completions);
        let mut walk = Walk::new(self.types, parts, threshold, NODES_OF_LISTING, &stops);
        let mut patterns = Vec::new();
        let is_complete = walk.run(0, &mut |walk, _| {
            let mut held = walk.added().to_vec();
            held.sort_unstable();
            let pattern = Pattern(held);
            if Filling::of(self.types, self.kind, &pattern).is_maximal() {
                patterns.push(pattern);
            }
            patterns.len() <= most
        });
        self.nodes += NODES_OF_LISTING - walk.nodes;
        if least <= 0 && !patterns.contains(&Pattern::default()) {
            patterns.push(Pattern::default());
        }
        (is_complete && patterns.len() <= most).then_some(patterns)
    }
}
