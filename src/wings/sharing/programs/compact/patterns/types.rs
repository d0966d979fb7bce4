//! The problem as patterns see it: types of virtual machines, kinds of servers.

use super::pattern::Pattern;
use super::price::PRICE_OF_ONE;
use crate::instance::{KindIndex, Problem, ServerIndex, VmIndex};
use crate::programs::compact::bound::cheapest_cover;
use crate::programs::compact::units::Units;
use crate::rules::{Goal, Packing};
use ground::Amount;
use itertools::Itertools;
use std::collections::BTreeMap;

/// Types of virtual machines that are alike, and kinds of servers in the pool.
pub struct Types<'p> {
    pub problem: &'p Problem,
    pub units: Units,
    /// Virtual machines of each type, ascending.
    pub vms: Vec<Vec<VmIndex>>,
    /// Kinds of servers with the servers of the pool.
    pub kinds: Vec<(KindIndex, Vec<ServerIndex>)>,
    pool: Vec<ServerIndex>,
    type_of: Vec<usize>,
    /// Position of the kind of each server of the problem.
    kind_of: Vec<usize>,
}

/// What prices prove.
pub struct Proved {
    /// In units of the costs, rounded up.
    pub whole: i128,
    /// Before that, nearly.
    pub fraction: f64,
}

impl<'p> Types<'p> {
    pub fn of(problem: &'p Problem, pool: &[ServerIndex]) -> Self {
        let vms = problem.alike();
        let mut type_of = vec![0; problem.vms.len()];
        for (number, alike) in vms.iter().enumerate() {
            alike.iter().for_each(|vm| type_of[vm.index()] = number);
        }
        let mut kinds: BTreeMap<KindIndex, Vec<ServerIndex>> = BTreeMap::new();
        for &server in pool {
            kinds.entry(problem.servers[server.index()].kind).or_default().push(server);
        }
        let mut kind_of = vec![0; problem.servers.len()];
        for (position, servers) in kinds.values().enumerate() {
            servers.iter().for_each(|server| kind_of[server.index()] = position);
        }
        Types {
            problem,
            units: Units::of(problem),
            vms,
            kinds: kinds.into_iter().collect(),
            pool: pool.to_vec(),
            type_of,
            kind_of,
        }
    }

    /// The first virtual machine of a type, which speaks for all.
    pub fn example(&self, vm_type: usize) -> VmIndex {
        self.vms[vm_type][0]
    }

    /// Positions of the classes that a type is in.
    pub fn classes(&self, vm_type: usize) -> &[usize] {
        &self.problem.page_classes.of_vm[self.example(vm_type).index()]
    }

    /// How many virtual machines of a type there are.
    pub fn number(&self, vm_type: usize) -> u32 {
        self.vms[vm_type].len() as u32
    }

    /// What a server of a kind costs, in units.
    pub fn cost(&self, kind: usize) -> i128 {
        self.units(self.problem.kinds[self.kinds[kind].0.index()].cost)
    }

    /// A cost in units.
    pub fn units(&self, cost: Amount) -> i128 {
        cost.in_units_of(self.problem.unit(Goal::Servers)).unwrap_or(0)
    }

    /// Units as a cost.
    pub fn amount(&self, units: i128) -> Amount {
        self.problem.unit(Goal::Servers) * units
    }

    /// What patterns cost together, in units.
    pub fn cost_of(&self, patterns: &[Pattern]) -> i128 {
        patterns.iter().map(|pattern| self.cost(pattern.kind)).sum()
    }

    /// Every server of a packing as a pattern.
    pub fn patterns_of(&self, packing: &Packing) -> Vec<Pattern> {
        let hosted = packing.by_server(self.problem.servers.len());
        let mut patterns = Vec::new();
        for (kind, (_, servers)) in self.kinds.iter().enumerate() {
            for server in servers.iter().filter(|server| !hosted[server.index()].is_empty()) {
                let types = hosted[server.index()].iter().map(|vm| self.type_of[vm.index()]);
                let held = types.counts().into_iter().map(|(vm_type, count)| (vm_type, count as u32));
                patterns.push(Pattern { kind, held: held.sorted().collect() });
            }
        }
        patterns
    }

    /// Each type alone on each kind of server that can host it.
    pub fn alone(&self) -> impl Iterator<Item = Pattern> + '_ {
        (0..self.vms.len()).cartesian_product(0..self.kinds.len()).filter_map(|(vm_type, kind)| {
            let about = &self.problem.kinds[self.kinds[kind].0.index()];
            let fits = self.problem.lacks(about, self.example(vm_type)).is_none();
            fits.then(|| Pattern { kind, held: vec![(vm_type, 1)] })
        })
    }

    /// What prices prove, given how much servers of each kind can host of them at most.
    pub fn bound(&self, prices: &[i64], worth: &[i64]) -> Proved {
        let all = self.all(prices);
        Proved { whole: self.whole(all, worth), fraction: self.fraction(all, worth) }
    }

    /// What all virtual machines are worth together.
    fn all(&self, prices: &[i64]) -> i128 {
        let of_type = |(vms, &price): (&Vec<VmIndex>, &i64)| vms.len() as i128 * i128::from(price);
        self.vms.iter().zip(prices).map(of_type).sum()
    }

    /// What servers that together can host so much cost at least, in units of the costs, rounded up.
    fn whole(&self, all: i128, worth: &[i64]) -> i128 {
        if all == 0 {
            return 0;
        }
        let capacity = |server: ServerIndex| Some(i128::from(worth[self.kind_of[server.index()]]));
        cheapest_cover(self.problem, &self.pool, all, capacity).map_or(i128::MAX / 4, |cost| self.units(cost))
    }

    /// The cost of the cheapest servers, the last one in part, that can host what all prices add up to.
    fn fraction(&self, all: i128, worth: &[i64]) -> f64 {
        let mut offers: Vec<(f64, f64, f64)> = (0..self.kinds.len())
            .filter(|&kind| worth[kind] > 0)
            .map(|kind| (self.cost(kind) as f64, worth[kind] as f64, self.kinds[kind].1.len() as f64))
            .collect();
        offers.sort_by(|one, other| (one.0 * other.1).total_cmp(&(other.0 * one.1)));
        let (mut missing, mut cost) = (all as f64, 0.0);
        for (price, worth, number) in offers {
            let taken = (missing / worth).clamp(0.0, number);
            cost += taken * price;
            missing -= taken * worth;
        }
        cost
    }

    /// By kind, the most that its servers may be able to host so that the prices prove `wanted` units: all in proportion to the
    /// given limits.
    pub fn thresholds(&self, prices: &[i64], limits: &[f64], wanted: i128) -> Vec<i64> {
        let scaled = |factor: f64| -> Vec<i64> {
            limits.iter().map(|limit| (limit * factor * PRICE_OF_ONE as f64).floor() as i64).collect()
        };
        let all = self.all(prices);
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            match self.whole(all, &scaled(middle)) >= wanted {
                true => low = middle,
                false => high = middle,
            }
        }
        scaled(low)
    }

    /// What a pattern is worth, in the units of prices.
    pub fn value(&self, pattern: &Pattern, prices: &[i64]) -> i64 {
        pattern.held.iter().map(|&(vm_type, count)| prices[vm_type] * i64::from(count)).sum()
    }
}
