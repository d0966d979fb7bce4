//! An independent reading of the model's rules: what a packing breaks and what it is worth.
//!
//! It knows neither page classes nor sigma's inverse: the pages of a server are the union of the page sets of its virtual
//! machines, put together anew from their components, their ranges of numbered pages and their own pages, or by inclusion and
//! exclusion where the instance gives a table. All numbers are whole or exact decimals.

use super::packing::Packing;
use super::pages::pages_of;
use super::score::Score;
use super::violation::Violation;
use crate::instance::{Problem, ServerKind, VmIndex};
use ground::Amount;

/// The verdict on a packing; its worth is meaningful only without violations.
pub type Verification = kit::Verification<Violation, Score>;

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
