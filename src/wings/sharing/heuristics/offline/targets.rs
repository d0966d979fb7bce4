//! Sets of servers that would be cheaper than the best packing's.

use super::best::Best;
use super::shares::{Shares, dot};
use crate::heuristics::state::State;
use crate::instance::{KindIndex, Problem, ServerIndex, VmIndex};
use ground::Amount;
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};

/// Sets that are tried at most before a search gives up.
const MOST_TARGETS: usize = 6;

/// Kinds of servers that are considered at most for being left out, and for being used instead.
const MOST_KINDS: usize = 16;

/// The costs of some servers.
pub fn cost(problem: &Problem, servers: &[ServerIndex]) -> Amount {
    servers.iter().map(|&server| problem.kind_of(server).cost).sum()
}

/// Servers by what they are worth under weights of the dimensions, per cost, the best first; equals in the pool's order.
pub fn ordered(
    problem: &Problem,
    pool: &[ServerIndex],
    shares: &Shares,
    weights: &[f64],
) -> Vec<ServerIndex> {
    let worth: Vec<f64> = problem
        .kinds
        .iter()
        .zip(&shares.capacities)
        .map(|(kind, capacity)| dot(capacity, weights) / kind.cost.to_f64())
        .collect();
    let mut servers = pool.to_vec();
    let worth_of = |server: &ServerIndex| worth[problem.servers[server.index()].kind.index()];
    servers.sort_by(|one, other| worth_of(other).total_cmp(&worth_of(one)));
    servers
}

/// Sets of servers cheaper than those of the best packing that could hold all virtual machines as far as sums tell, the roomiest first;
/// without a packing the whole pool.
pub fn cheaper(
    problem: &Problem,
    pool: &[ServerIndex],
    shares: &Shares,
    best: Option<&Best<'_>>,
) -> Vec<Vec<ServerIndex>> {
    let Some(best) = best else { return vec![pool.to_vec()] };
    let mut sets: BTreeSet<Vec<ServerIndex>> = BTreeSet::new();
    let dimensions = shares.dimensions();
    let single = (0..dimensions).map(|only| {
        let mut weights: Vec<f64> = shares.scarcity.iter().map(|weight| weight / 1000.0).collect();
        weights[only] += 1.0;
        weights
    });
    for weights in single.chain([shares.scarcity.clone()]) {
        let mut sum = Amount::ZERO;
        let first = ordered(problem, pool, shares, &weights).into_iter().take_while(|&server| {
            sum += problem.kind_of(server).cost;
            sum < best.cost
        });
        sets.insert(first.sorted().collect());
    }
    let kind_of = |server: &ServerIndex| problem.servers[server.index()].kind;
    let used: BTreeSet<&ServerIndex> = best.servers.iter().collect();
    let unused = pool.iter().filter(|server| !used.contains(server));
    let unused: Vec<ServerIndex> = unused.copied().unique_by(kind_of).take(MOST_KINDS).collect();
    for &left_out in best.servers.iter().unique_by(|server| kind_of(server)).take(MOST_KINDS) {
        let others = best.servers.iter().copied().filter(|&server| server != left_out);
        let cost_of = |server: ServerIndex| problem.kind_of(server).cost;
        let instead = unused.iter().filter(|&&server| cost_of(server) < cost_of(left_out));
        sets.insert(others.clone().sorted().collect());
        for &instead in instead {
            sets.insert(others.clone().chain([instead]).sorted().collect());
        }
    }
    let roomy = |set: Vec<ServerIndex>| Some((room(problem, shares, &set)?, set));
    let mut sets: Vec<(f64, Vec<ServerIndex>)> = sets.into_iter().filter_map(roomy).collect();
    sets.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    sets.into_iter().map(|(_, set)| set).take(MOST_TARGETS).collect()
}

/// How much room servers have: capacity over requests in the dimension in which that is least; `None` if sums show that they
/// cannot hold all virtual machines.
fn room(problem: &Problem, shares: &Shares, servers: &[ServerIndex]) -> Option<f64> {
    let kinds: BTreeMap<KindIndex, usize> =
        servers.iter().counts_by(|server| problem.servers[server.index()].kind).into_iter().collect();
    let hosts =
        |vm: VmIndex| kinds.keys().any(|kind| problem.lacks(&problem.kinds[kind.index()], vm).is_none());
    if !problem.vm_indices().all(hosts) {
        return None;
    }
    for resource in 0..problem.resources.len() {
        let capacities: Option<Amount> =
            servers.iter().map(|&server| problem.kind_of(server).capacity[resource]).sum();
        let requests: Amount = problem.vms.iter().map(|vm| vm.request[resource]).sum();
        if capacities.is_some_and(|capacities| capacities < requests) {
            return None;
        }
    }
    let pages: u64 = servers.iter().map(|&server| problem.kind_of(server).pages).sum();
    let classes = &problem.page_classes;
    let union =
        classes.private.iter().sum::<u64>() + classes.shared.iter().map(|class| class.pages).sum::<u64>();
    if pages < union {
        return None;
    }
    let room_in = |dimension: usize| {
        let capacity: f64 = kinds
            .iter()
            .map(|(kind, &number)| shares.capacities[kind.index()][dimension] * number as f64)
            .sum();
        let requests: f64 = shares.requests.iter().map(|row| row[dimension]).sum();
        if requests > 0.0 { capacity / requests } else { f64::INFINITY }
    };
    Some((0..shares.dimensions()).map(room_in).fold(f64::INFINITY, f64::min))
}

/// Puts a packing onto other servers: what a server holds stays there, or goes to one of the same kind, where there is one.
/// Returns the VMs that are left.
pub fn carry_over(
    state: &mut State<'_>,
    target: &[ServerIndex],
    known: &[ServerIndex],
    packing: &State<'_>,
) -> Vec<VmIndex> {
    let problem = state.problem();
    let kind_of = |server: ServerIndex| problem.servers[server.index()].kind;
    let used: BTreeSet<&ServerIndex> = known.iter().collect();
    let usable: BTreeSet<&ServerIndex> = target.iter().collect();
    let (kept, moved): (Vec<ServerIndex>, Vec<ServerIndex>) =
        known.iter().partition(|server| usable.contains(server));
    let mut free: Vec<ServerIndex> = target.iter().copied().filter(|server| !used.contains(server)).collect();
    let mut hosts: Vec<(ServerIndex, ServerIndex)> =
        kept.into_iter().map(|server| (server, server)).collect();
    let mut left = Vec::new();
    for server in moved {
        match free.iter().position(|&other| kind_of(other) == kind_of(server)) {
            Some(position) => hosts.push((server, free.swap_remove(position))),
            None => left.extend_from_slice(packing.vms(server)),
        }
    }
    for (from, to) in hosts {
        packing.vms(from).iter().for_each(|&vm| state.put(to, vm));
    }
    left
}
