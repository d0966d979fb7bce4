//! Servers that a solution needs to look at.
//!
//! Server b dominates server a when it has no less of anything and costs no more: whatever a hosts, b can host instead. So some
//! optimum uses a only if it uses every server that dominates a, and what that would cost bounds which servers are of use.

use crate::instance::{KindIndex, Problem, ServerIndex};
use crate::rules::Packing;
use ground::Amount;

/// For each kind of server the kinds that dominate it, itself included.
pub struct Dominance(Vec<Vec<bool>>);

impl Dominance {
    /// The dominance among the kinds of a problem.
    pub fn of(problem: &Problem) -> Self {
        let covers = |one: Option<Amount>, other: Option<Amount>| match (one, other) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(one), Some(other)) => one >= other,
        };
        let dominates = |better: usize, worse: usize| {
            let (better, worse) = (&problem.kinds[better], &problem.kinds[worse]);
            better.cost <= worse.cost
                && better.pages >= worse.pages
                && better.capacity.iter().zip(&worse.capacity).all(|(one, other)| covers(*one, *other))
        };
        let kinds = 0..problem.kinds.len();
        Dominance(
            kinds
                .clone()
                .map(|worse| kinds.clone().map(|better| dominates(better, worse)).collect())
                .collect(),
        )
    }

    fn holds(&self, better: KindIndex, worse: KindIndex) -> bool {
        self.0[worse.index()][better.index()]
    }

    /// Whether the first server dominates the second; of two that are alike the earlier one does.
    pub fn dominates(&self, problem: &Problem, better: ServerIndex, worse: ServerIndex) -> bool {
        let (one, other) = (problem.servers[better.index()].kind, problem.servers[worse.index()].kind);
        self.holds(one, other) && (better < worse || !self.holds(other, one))
    }

    /// The servers of a pool that some best solution of a cost of at most `most` can use.
    pub fn useful(&self, problem: &Problem, pool: &[ServerIndex], most: Amount) -> Vec<ServerIndex> {
        let cost = |server: ServerIndex| problem.kind_of(server).cost;
        let affordable = |&server: &ServerIndex| {
            let before = pool.iter().filter(|&&other| self.dominates(problem, other, server));
            before.map(|&other| cost(other)).sum::<Amount>() + cost(server) <= most
        };
        pool.iter().copied().filter(affordable).collect()
    }

    /// A packing on servers of a pool, with what servers outside `useful` host moved to servers that dominate them. `useful` are those of the
    /// pool for a cost of no less than that of the packing. It costs no more for it, and is on `useful` alone: if a server outside is in
    /// use, then not all that dominate it are, as they would cost too much together.
    pub fn lifted(
        &self,
        problem: &Problem,
        pool: &[ServerIndex],
        useful: &[ServerIndex],
        packing: &Packing,
    ) -> Packing {
        let mut packing = packing.clone();
        let mut hosted = packing.by_server(problem.servers.len());
        // Moves lead upwards in the order of dominance, so that they end.
        while let Some(worse) =
            pool.iter().copied().find(|server| !hosted[server.index()].is_empty() && !useful.contains(server))
        {
            let is_free = |&&better: &&ServerIndex| {
                hosted[better.index()].is_empty() && self.dominates(problem, better, worse)
            };
            let Some(&better) = pool.iter().find(is_free) else {
                unreachable!("all that dominate it would cost more than the packing")
            };
            let vms = std::mem::take(&mut hosted[worse.index()]);
            vms.iter().for_each(|&vm| packing.set(vm, Some(better)));
            hosted[better.index()] = vms;
        }
        packing
    }

    /// The pairs (better, worse) of a pool between which no third server stands: from them all others follow.
    pub fn covers(&self, problem: &Problem, pool: &[ServerIndex]) -> Vec<(ServerIndex, ServerIndex)> {
        let dominates = |better, worse| self.dominates(problem, better, worse);
        let mut pairs = Vec::new();
        for &worse in pool {
            let above: Vec<ServerIndex> =
                pool.iter().copied().filter(|&better| better != worse && dominates(better, worse)).collect();
            let next = above.iter().filter(|&&better| {
                !above.iter().any(|&between| between != better && dominates(better, between))
            });
            pairs.extend(next.map(|&better| (better, worse)));
        }
        pairs
    }
}
