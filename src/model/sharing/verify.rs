//! An independent reading of the model's rules: what a packing breaks and what it is worth.
//!
//! It knows neither page classes nor sigma's inverse: the pages of a server are the union of the page sets of its virtual
//! machines, put together anew from their components, their ranges of numbered pages and their own pages, or by inclusion and
//! exclusion where the instance gives a table. All numbers are whole or exact decimals.

use super::goal::Goal;
use super::instance::Problem;
use super::packing::Packing;
use super::parts::{ComponentIndex, PageRange, ServerKind, VmIndex};
use super::sigma::SigmaTable;
use crate::cluster::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A rule that a packing breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Row (6): a virtual machine has no server.
    Unplaced { vm: String },
    /// Row (7): a resource of a server does not suffice.
    OverCapacity { server: String, resource: String, used: Amount, capacity: Amount },
    /// Row (8): the memory of a server does not suffice.
    OverMemory { server: String, pages: u64, capacity: u64 },
}

impl Violation {
    /// The rule's short, stable name.
    pub fn rule(&self) -> &'static str {
        match self {
            Violation::Unplaced { .. } => "unplaced",
            Violation::OverCapacity { .. } => "over-capacity",
            Violation::OverMemory { .. } => "over-memory",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::Unplaced { vm } => write!(formatter, "`{vm}` has no server"),
            Violation::OverCapacity { server, resource, used, capacity } => {
                write!(formatter, "`{server}` has {capacity} of {resource}, but {used} is requested")
            }
            Violation::OverMemory { server, pages, capacity } => {
                write!(formatter, "`{server}` has {capacity} pages, but {pages} are needed")
            }
        }
    }
}

/// What a packing is worth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Servers in use.
    pub active_servers: u64,
    /// Row (4): costs of the servers in use.
    pub cost: Amount,
    /// Position, from 1, of the last server in use in the order of the instance.
    pub reach: u64,
    /// Pages in use on all servers.
    pub pages: u64,
    /// Pages that would be in use without sharing: the memories of all virtual machines that have a server.
    pub requested_pages: u64,
}

impl Score {
    /// The value of a goal.
    pub fn goal(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Reach => Amount::whole(i128::from(self.reach)),
            Goal::Servers => self.cost,
        }
    }
}

/// The verdict on a packing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Every rule that it breaks.
    pub violations: Vec<Violation>,
    /// What it is worth; meaningful only without violations.
    pub score: Score,
}

/// Checks a packing against the rules and says what it is worth.
pub fn verify(problem: &Problem, packing: &Packing) -> Verification {
    let unplaced = problem.vm_indices().filter(|&vm| packing.of(vm).is_none());
    let mut violations: Vec<Violation> =
        unplaced.map(|vm| Violation::Unplaced { vm: problem.vm(vm).name.clone() }).collect();
    let mut score = Score::default();
    for (position, vms) in packing.by_server(problem.servers.len()).iter().enumerate() {
        if vms.is_empty() {
            continue;
        }
        let server = &problem.servers[position];
        let kind = &problem.kinds[server.kind.index()];
        for (resource, name) in problem.resources.iter().enumerate() {
            let used = requested(problem, vms, resource);
            if let Some(capacity) = kind.capacity[resource].filter(|&capacity| used > capacity) {
                let (server, resource) = (server.name.clone(), name.clone());
                violations.push(Violation::OverCapacity { server, resource, used, capacity });
            }
        }
        let pages = pages_of(problem, vms);
        if pages > kind.pages {
            violations.push(Violation::OverMemory {
                server: server.name.clone(),
                pages,
                capacity: kind.pages,
            });
        }
        score.active_servers += 1;
        score.cost += kind.cost;
        score.reach = position as u64 + 1;
        score.pages += pages;
        score.requested_pages += vms.iter().map(|&vm| problem.vm(vm).pages).sum::<u64>();
    }
    Verification { violations, score }
}

/// Whether a server of a kind can host some virtual machines, given in ascending order: rows (7) and (8).
pub fn hosts(problem: &Problem, kind: &ServerKind, vms: &[VmIndex]) -> bool {
    let mut capacities = kind.capacity.iter().enumerate();
    capacities.all(|(resource, most)| most.is_none_or(|most| requested(problem, vms, resource) <= most))
        && pages_of(problem, vms) <= kind.pages
}

/// What some virtual machines request of a resource together.
fn requested(problem: &Problem, vms: &[VmIndex], resource: usize) -> Amount {
    vms.iter().map(|&vm| problem.vm(vm).request[resource]).sum()
}

/// Pages in the union of the page sets of some virtual machines, given in ascending order.
pub fn pages_of(problem: &Problem, vms: &[VmIndex]) -> u64 {
    if let Some(table) = &problem.sigma {
        return by_inclusion_and_exclusion(problem, table, vms);
    }
    let components: BTreeSet<ComponentIndex> =
        vms.iter().flat_map(|&vm| problem.vm(vm).components.iter().copied()).collect();
    let of_components = components.iter().map(|component| problem.components[component.index()].pages);
    let own = vms.iter().map(|&vm| problem.vm(vm).own_pages);
    of_components.chain(own).sum::<u64>() + numbered_pages(problem, vms)
}

/// Numbers of pages in at least one of the ranges.
fn numbered_pages(problem: &Problem, vms: &[VmIndex]) -> u64 {
    let mut ranges: Vec<PageRange> =
        vms.iter().flat_map(|&vm| problem.vm(vm).ranges.iter().copied()).collect();
    ranges.sort_unstable();
    let (mut pages, mut next) = (0, 0);
    for range in ranges {
        let first = range.first.max(next);
        if first <= range.last {
            pages += range.last - first + 1;
            next = range.last + 1;
        }
    }
    pages
}

/// The left side of row (8).
fn by_inclusion_and_exclusion(problem: &Problem, table: &SigmaTable, vms: &[VmIndex]) -> u64 {
    let single: i128 = vms.iter().map(|&vm| i128::from(problem.vm(vm).pages)).sum();
    let of_set = |(set, pages): (&[VmIndex], u64)| {
        let inside = set.iter().all(|vm| vms.binary_search(vm).is_ok());
        match inside {
            false => 0,
            true if set.len() % 2 == 1 => i128::from(pages),
            true => -i128::from(pages),
        }
    };
    let union = single + table.entries().map(of_set).sum::<i128>();
    u64::try_from(union).expect("a union of page sets has no negative number of pages")
}
