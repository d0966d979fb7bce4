//! Bounds that need no solver.
//!
//! What a set of virtual machines needs of a resource is its sum; what it needs of memory is at least
//!
//! ```text
//! sum of private pages + sum over classes A of n_A * (servers that the members of A need)
//! ```
//!
//! since every server that hosts a member of A holds its pages. How many servers the members need is bounded in the same way, with
//! the largest server in mind. The cheapest servers that together have enough of one resource cost at least the bound.

use super::units::Units;
use crate::instance::{Problem, ServerIndex, VmIndex};
use crate::rules::Goal;
use ground::Amount;
use std::collections::BTreeMap;

/// How deep classes within classes are looked at; deeper, one server is assumed to suffice.
const DEPTH: usize = 4;

/// No packing of all virtual machines on servers of the pool costs less; `None` when there is none at all.
pub fn least_cost(problem: &Problem, units: &Units, pool: &[ServerIndex]) -> Option<Amount> {
    let all: Vec<VmIndex> = problem.vm_indices().collect();
    if all.is_empty() {
        return Some(Amount::ZERO);
    }
    let mut bound = pool.iter().map(|&server| problem.kind_of(server).cost).min()?;
    for resource in 0..problem.resources.len() {
        let needed = all.iter().map(|&vm| units.request(vm)[resource]).sum();
        let capacity = |server: ServerIndex| units.capacity(problem.servers[server.index()].kind)[resource];
        bound = bound.max(cheapest_cover(problem, pool, needed, capacity)?);
    }
    let needed = Copies::new(problem, units, pool).pages(&all, 0).pages;
    let capacity = |server: ServerIndex| Some(i128::from(problem.kind_of(server).pages));
    Some(bound.max(cheapest_cover(problem, pool, needed, capacity)?))
}

/// What servers with that much capacity together cost at least, in whole units of the costs; `None` when all have too little.
pub fn cheapest_cover(
    problem: &Problem,
    pool: &[ServerIndex],
    needed: i128,
    capacity: impl Fn(ServerIndex) -> Option<i128>,
) -> Option<Amount> {
    let unit = problem.unit(Goal::Servers).millionths();
    // A server with more than is needed is worth no more than one with just that.
    let mut offers: Vec<(i128, i128)> = pool
        .iter()
        .map(|&server| {
            let capacity = capacity(server).map_or(needed, |capacity| capacity.min(needed));
            (problem.kind_of(server).cost.millionths() / unit, capacity)
        })
        .filter(|&(_, capacity)| capacity > 0)
        .collect();
    offers.sort_by(|one, other| (one.0 * other.1).cmp(&(other.0 * one.1)));
    let (mut missing, mut cost) = (needed, 0);
    for (price, capacity) in offers {
        if missing <= 0 {
            break;
        }
        if capacity <= missing {
            cost += price;
        } else {
            cost += (price * missing + capacity - 1) / capacity;
        }
        missing -= capacity;
    }
    (missing <= 0).then(|| Amount::from_millionths(cost * unit))
}

/// What a set of virtual machines needs at least.
#[derive(Clone, Copy)]
struct Needs {
    servers: i128,
    pages: i128,
}

/// How often pages must be held, given the largest server of a pool.
struct Copies<'p> {
    problem: &'p Problem,
    units: &'p Units,
    /// The most that one server has, by resource; `None` where one is not limited.
    largest: Vec<Option<i128>>,
    largest_pages: i128,
    known: BTreeMap<Vec<VmIndex>, Needs>,
}

impl<'p> Copies<'p> {
    fn new(problem: &'p Problem, units: &'p Units, pool: &[ServerIndex]) -> Self {
        let kinds = || pool.iter().map(|&server| problem.servers[server.index()].kind);
        let largest = |resource: usize| {
            let capacities: Option<Vec<i128>> = kinds().map(|kind| units.capacity(kind)[resource]).collect();
            capacities.map(|capacities| capacities.into_iter().max().unwrap_or(0))
        };
        Copies {
            problem,
            units,
            largest: (0..problem.resources.len()).map(largest).collect(),
            largest_pages: kinds()
                .map(|kind| i128::from(problem.kinds[kind.index()].pages))
                .max()
                .unwrap_or(0),
            known: BTreeMap::new(),
        }
    }

    /// What a non-empty set needs.
    fn pages(&mut self, set: &[VmIndex], depth: usize) -> Needs {
        if let Some(&known) = self.known.get(set) {
            return known;
        }
        let needs = self.needs(set, depth);
        // What was cut off at some depth may be better bounded from elsewhere.
        if depth < DEPTH {
            self.known.insert(set.to_vec(), needs);
        }
        needs
    }

    fn needs(&mut self, set: &[VmIndex], depth: usize) -> Needs {
        let problem = self.problem;
        let mut servers = 1;
        for (resource, largest) in self.largest.iter().enumerate() {
            let needed: i128 = set.iter().map(|&vm| self.units.request(vm)[resource]).sum();
            servers = servers.max(largest.map_or(1, |largest| ceiling(needed, largest)));
        }
        let classes = &problem.page_classes;
        let private: i128 = set.iter().map(|vm| i128::from(classes.private[vm.index()])).sum();
        let mut members: BTreeMap<usize, Vec<VmIndex>> = BTreeMap::new();
        for &vm in set {
            for &class in &classes.of_vm[vm.index()] {
                members.entry(class).or_default().push(vm);
            }
        }
        // Pages of classes that all have are on every server; the others as often as their members need servers.
        let (mut by_all, mut by_some) = (0, private);
        let unshared: i128 = set.iter().map(|&vm| i128::from(problem.vm(vm).pages)).sum();
        let fits = servers == 1 && unshared <= self.largest_pages;
        for (class, part) in members {
            let pages = i128::from(classes.shared[class].pages);
            if part.len() == set.len() {
                by_all += pages;
            } else if fits || depth == DEPTH || part.len() == 1 {
                by_some += pages;
            } else {
                by_some += pages * self.pages(&part, depth + 1).servers;
            }
        }
        servers = servers.max(ceiling(by_some, self.largest_pages - by_all));
        Needs { servers, pages: by_some + by_all * servers }
    }
}

/// Servers of a capacity for what is needed; one where there is no capacity, of which no VM can make use.
fn ceiling(needed: i128, capacity: i128) -> i128 {
    if capacity <= 0 { 1 } else { (needed + capacity - 1) / capacity }
}
