//! Virtual machines without a server, where the question is whether there has to be one.

use super::pattern::Pattern;
use super::types::Types;
use prices::{Column, ONE, Priced};
use std::cmp::Reverse;

/// Places for all virtual machines, of which each costs 1 when it is taken.
pub struct Nowhere<'t> {
    pub types: &'t Types<'t>,
}

impl Nowhere<'_> {
    /// How many places there are.
    pub fn number(&self) -> u32 {
        self.types.problem.vms.len() as u32
    }

    /// What a place costs and hosts.
    pub fn column(&self, content: &Pattern) -> Column {
        let terms: Vec<(usize, i64)> =
            content.0.iter().map(|&(vm_type, count)| (vm_type, i64::from(count))).collect();
        Column { cost: i64::from(!terms.is_empty()), terms }
    }

    /// The most that a place is worth.
    pub fn price(&self, prices: &[i64]) -> Priced<Pattern> {
        let mut types: Vec<usize> = (0..self.types.vms.len()).collect();
        types.sort_by_key(|&vm_type| Reverse(prices[vm_type]));
        let most = types.first().map_or(0, |&dearest| (prices[dearest] - ONE).max(0));
        let contents = types.into_iter().map(|vm_type| Pattern(vec![(vm_type, 1)])).collect();
        Priced { most, is_exact: true, contents }
    }
}
