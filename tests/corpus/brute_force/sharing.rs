//! The optimum of model sharing by all sets of virtual machines.
//!
//! Which sets a server can host is found by putting the memories of each set together. What the first servers can host at the
//! least cost follows from what all but the last of them can: every set, every way to divide it in two.

use super::Tried;
use ground::Amount;
use models::Instance;
use sharing::{Optimum, Problem, ServerKind, VmIndex, pages_of};

/// Virtual machines whose sets can be divided in all ways within a second: there are 3^11 ways.
const MOST: usize = 11;

/// A set of virtual machines, by the bits of a number.
type Set = usize;

/// What the best packing is worth.
pub fn best(instance: &Instance) -> Tried {
    let problem = instance.problem::<sharing::Sharing>().expect("an instance of model sharing");
    if problem.vms.len() > MOST {
        return Tried::TooMany;
    }
    let everybody: Set = (1 << problem.vms.len()) - 1;
    let hosted: Vec<Vec<bool>> = problem
        .kinds
        .iter()
        .map(|kind| (0..=everybody).map(|set| hosts(&problem, kind, set)).collect())
        .collect();
    // By set what it costs at least on the servers so far.
    let mut costs: Vec<Option<Amount>> = vec![None; everybody + 1];
    costs[0] = Some(Amount::ZERO);
    for (position, server) in (1..).zip(&problem.servers) {
        let kind = server.kind.index();
        costs = with_another(&costs, problem.kinds[kind].cost, &hosted[kind]);
        if let (Optimum::FirstMOfTheOrder, Some(cost)) = (problem.optimum, costs[everybody]) {
            return Tried::Best(vec![Amount::whole(position), cost]);
        }
    }
    costs[everybody].map_or(Tried::Infeasible, |cost| Tried::Best(vec![cost]))
}

/// Whether a server has room for a set.
fn hosts(problem: &Problem, kind: &ServerKind, set: Set) -> bool {
    let vms: Vec<VmIndex> = problem.vm_indices().filter(|vm| set >> vm.index() & 1 == 1).collect();
    let requested = |resource: usize| vms.iter().map(|&vm| problem.vm(vm).request[resource]).sum::<Amount>();
    let mut capacities = kind.capacity.iter().enumerate();
    capacities.all(|(resource, capacity)| capacity.is_none_or(|capacity| requested(resource) <= capacity))
        && pages_of(problem, &vms) <= kind.pages
}

/// The costs by set with another server, which costs nothing while it is empty.
fn with_another(costs: &[Option<Amount>], cost: Amount, hosted: &[bool]) -> Vec<Option<Amount>> {
    let of_set = |set: Set| {
        let divided = parts(set).filter(|&part| hosted[part]);
        let used = divided.filter_map(|part| costs[set ^ part].map(|others| others + cost));
        costs[set].into_iter().chain(used).min()
    };
    (0..costs.len()).map(of_set).collect()
}

/// All parts of a set but the empty one.
fn parts(set: Set) -> impl Iterator<Item = Set> {
    std::iter::successors(Some(set), move |&part| Some(part.wrapping_sub(1) & set))
        .take_while(|&part| part > 0)
}

#[cfg(test)]
mod tests {
    use super::{Tried, best};
    use support::instances::instance;
    use support::sharing::{best_values, random};

    /// All sets and all packings give the same.
    #[test]
    fn all_packings_agree() {
        let family = random::Family { most_vms: 6, most_servers: 3 };
        for seed in 0..150 {
            let text = random::instance(seed, &family);
            let instance = instance(&text);
            let packed = best_values(&instance.problem::<sharing::Sharing>().unwrap());
            assert_eq!(best(&instance), packed.map_or(Tried::Infeasible, Tried::Best), "{text}");
        }
    }
}
