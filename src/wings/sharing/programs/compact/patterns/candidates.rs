//! The patterns that a cheaper packing can consist of.

use super::center::Center;
use super::pattern::Pattern;
use super::types::Types;
use super::valuable::{Effort, all_valuable};
use milp::Work;
use std::time::Instant;

/// Nodes of the listing of patterns for a kind of server.
const NODES_OF_LISTING: u64 = 4_000_000;
/// Patterns listed for a kind of server.
const MOST_LISTED: usize = 20_000;

impl Types<'_> {
    /// All maximal patterns of which a packing of a cost of at most `most` units can consist, if they are not too many.
    ///
    /// For every factor, a server of a kind hosts a value of at most factor * cost + surplus. What the servers of a packing lack
    /// of that adds up to at most factor * most + all surpluses - all prices, so that none lacks more.
    pub(super) fn candidates(
        &self,
        center: &Center,
        most: i128,
        deadline: Option<Instant>,
        work: &mut Work,
    ) -> Option<Vec<Pattern>> {
        let all = (0..self.vms.len())
            .map(|vm_type| f64::from(self.number(vm_type)) * center.prices[vm_type] as f64);
        let all: f64 = all.sum();
        let kinds = 0..self.kinds.len();
        let surplus =
            |kind: usize, factor: f64| (center.worth[kind] as f64 - factor * self.cost(kind) as f64).max(0.0);
        let lack = |factor: f64| {
            let surpluses = kinds.clone().map(|kind| surplus(kind, factor) * self.kinds[kind].1.len() as f64);
            factor * most as f64 + surpluses.sum::<f64>() - all
        };
        let costly = kinds.clone().filter(|&kind| self.cost(kind) > 0);
        let factors = costly.map(|kind| center.worth[kind] as f64 / self.cost(kind) as f64);
        let factor = factors.min_by(|one, other| lack(*one).total_cmp(&lack(*other)))?;
        let mut patterns = Vec::new();
        for kind in kinds.clone() {
            let least = factor * self.cost(kind) as f64 + surplus(kind, factor) - lack(factor);
            // One below, and one more for rounding: only what is worth more than the threshold is listed.
            let threshold = (least.floor() as i64 - 2).max(-1);
            let effort = Effort { nodes: NODES_OF_LISTING, deadline };
            let (listed, nodes) = all_valuable(self, kind, &center.prices, threshold, MOST_LISTED, effort);
            work.nodes += nodes;
            patterns.extend(listed?);
        }
        Some(patterns)
    }
}
