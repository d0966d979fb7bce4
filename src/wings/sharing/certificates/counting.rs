//! Proofs by counting: all servers together have too little of one resource, or of memory.

use crate::instance::{Problem, ServerIndex};
use crate::programs::Units;
use certificate::Leaf;
use certificate::sharing::Checker;
use num_integer::gcd;

/// A resource of which servers have something: what is needed of it at least, and what each server of a pool has.
struct Supply {
    name: String,
    needed: i128,
    of_servers: Vec<i128>,
}

/// For each resource, and for memory, the multipliers that prove most about servers of a pool that cost at most so much, in units.
pub fn by_counting(
    problem: &Problem,
    checker: &Checker<'_>,
    pool: &[ServerIndex],
    most: Option<i128>,
) -> Vec<Leaf> {
    let units = Units::of(problem);
    let capacity = |resource: usize| {
        let of_server = |server: &ServerIndex| units.capacity(problem.servers[server.index()].kind)[resource];
        pool.iter().map(of_server).collect::<Vec<Option<i128>>>()
    };
    let resources = (0..problem.resources.len()).map(|resource| {
        let needed = problem.vm_indices().map(|vm| units.request(vm)[resource]).sum();
        let of_servers =
            capacity(resource).into_iter().map(|capacity| capacity.unwrap_or(needed).min(needed));
        Supply { name: checker.requested(resource), needed, of_servers: of_servers.collect() }
    });
    let classes = &problem.page_classes;
    let needed = classes.private.iter().chain(classes.shared.iter().map(|class| &class.pages));
    let needed = needed.map(|&pages| i128::from(pages)).sum();
    let of_servers = pool.iter().map(|&server| i128::from(problem.kind_of(server).pages).min(needed));
    let memory = Supply { name: "pages".to_owned(), needed, of_servers: of_servers.collect() };
    let costs: Vec<i128> = pool.iter().map(|&server| cost(problem, server)).collect();
    resources.chain([memory]).filter_map(|supply| leaf(&supply, &costs, most)).collect()
}

/// What a server costs, in units.
fn cost(problem: &Problem, server: ServerIndex) -> i128 {
    let unit = problem.unit(crate::rules::Goal::Servers);
    problem.kind_of(server).cost.in_units_of(unit).unwrap_or_default()
}

/// Servers are taken as long as they can be paid, those first that have most for their cost. The resource is worth so much that the next one is
/// worth what it costs.
fn leaf(supply: &Supply, costs: &[i128], most: Option<i128>) -> Option<Leaf> {
    let mut servers: Vec<(i128, i128)> =
        costs.iter().copied().zip(supply.of_servers.iter().copied()).filter(|server| server.1 > 0).collect();
    servers.sort_by(|one, other| (one.0 * other.1).cmp(&(other.0 * one.1)));
    let mut paid = 0;
    let last = servers.into_iter().find(|(cost, _)| {
        paid += cost;
        most.is_some_and(|most| paid > most)
    });
    let (worth, cost) = match last {
        Some((cost, supply)) => (cost / gcd(cost, supply).max(1), supply / gcd(cost, supply).max(1)),
        None => (1, 0),
    };
    let mut leaf =
        Leaf { totals: vec![(supply.name.clone(), i64::try_from(worth).ok()?)], ..Leaf::default() };
    if cost > 0 {
        leaf.goals.push(("servers".to_owned(), i64::try_from(cost).ok()?));
    }
    (supply.needed > 0).then_some(leaf)
}
