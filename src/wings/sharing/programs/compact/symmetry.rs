//! Rows that leave out packings of which an equally good one remains: things that are alike come in a certain order.

use super::pool::Dominance;
use super::rows::Writer;
use crate::instance::VmIndex;
use crate::rules::Goal;
use good_lp::{Expression, constraint};
use itertools::Itertools;
use std::cmp::Reverse;

/// Rows that only break symmetry are left out when they would have more coefficients than this.
const MOST_OF_SYMMETRY: usize = 3_000_000;

impl Writer<'_> {
    /// A server that dominates another is used first. Where the order of the servers counts, only earlier ones dominate.
    pub(super) fn order_of_unlike_servers(&mut self) {
        let dominance = Dominance::of(self.problem);
        let order_counts = self.scope.goals.contains(&Goal::Reach);
        for (better, worse) in dominance.covers(self.problem, self.scope.pool) {
            if order_counts && better > worse {
                continue;
            }
            let at = |server| {
                self.scope.pool.iter().position(|&other| other == server).expect("both are in the pool")
            };
            let (better, worse) = (at(better), at(worse));
            let label = format!("before[{},{}]", self.server_name(better), self.server_name(worse));
            let row = constraint!(self.used[worse].variable <= self.used[better].variable);
            self.builder.row(label, row);
        }
    }

    /// Of servers of a kind, the one with the first virtual machine comes first, and so on: for each VM on such a server there is an
    /// earlier VM on the server before.
    pub(super) fn order_of_like_servers(&mut self) {
        let vms = self.canonical().concat();
        let servers = self
            .positions()
            .into_group_map_by(|&position| self.problem.servers[self.scope.pool[position].index()].kind);
        let pairs: Vec<(usize, usize)> = servers
            .into_iter()
            .sorted()
            .flat_map(|(_, positions)| positions.into_iter().tuple_windows().collect_vec())
            .collect();
        if pairs.len() * vms.len() * vms.len() / 2 > MOST_OF_SYMMETRY {
            return;
        }
        for (before, after) in pairs {
            let mut earlier = Expression::default();
            for &vm in &vms {
                let label = format!("like-servers[{},{}]", self.vm_name(vm), self.server_name(after));
                let on = &self.on[vm.index()];
                let row = constraint!(on[after].variable <= earlier.clone());
                self.builder.row(label, row);
                earlier.add_mul(1.0, on[before].variable);
            }
        }
    }

    /// Of virtual machines that are alike, an earlier one is on no later server.
    pub(super) fn order_of_like_vms(&mut self) {
        let neighbours = |alike: Vec<VmIndex>| alike.into_iter().tuple_windows().collect_vec();
        let pairs: Vec<(VmIndex, VmIndex)> = self.canonical().into_iter().flat_map(neighbours).collect();
        let servers = self.scope.pool.len();
        if pairs.len() * servers * servers > MOST_OF_SYMMETRY {
            return;
        }
        for (one, next) in pairs {
            let mut difference = Expression::default();
            for position in self.positions() {
                difference.add_mul(1.0, self.on[next.index()][position].variable);
                difference.add_mul(-1.0, self.on[one.index()][position].variable);
                let label = format!("like-vms[{},{}]", self.vm_name(next), self.server_name(position));
                self.builder.row(label, constraint!(difference.clone() <= 0));
            }
        }
    }

    /// The virtual machines, alike ones together, those that ask for much first.
    fn canonical(&self) -> Vec<Vec<VmIndex>> {
        let key = |alike: &Vec<VmIndex>| {
            let about = self.problem.vm(alike[0]);
            (Reverse((&about.request, about.pages)), self.problem.likeness(alike[0]))
        };
        let mut groups = self.problem.alike();
        groups.sort_by(|one, other| key(one).cmp(&key(other)));
        groups
    }
}
