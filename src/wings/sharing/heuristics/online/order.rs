//! The order in which inactive servers are opened.

use crate::instance::{Problem, ServerIndex};
use ground::Amount;
use kit::{Choice, Choices};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;

/// An order of the servers.
///
/// Servers are compared by size: by their capacity of the first resource, ascending by name, then of the second, and so on,
/// where one without limit is the largest, and last by their memory. Servers of one size keep the order of the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As in the instance.
    Given,
    /// By size, ascending, as in the paper's experiments.
    SmallestFirst,
    /// By size, descending.
    LargestFirst,
    /// Shuffled by the seed.
    Random,
}

impl Choices for Order {
    const ALL: &'static [Choice<Order>] = &[
        Choice { name: "given", help: "as in the instance", value: Order::Given },
        Choice {
            name: "smallest-first",
            help: "by the capacities, ascending, in the order of the resources' names, then by memory, as in the paper",
            value: Order::SmallestFirst,
        },
        Choice { name: "largest-first", help: "the same, descending", value: Order::LargestFirst },
        Choice { name: "random", help: "shuffled by the seed", value: Order::Random },
    ];
}

impl Order {
    /// All servers in this order.
    pub fn servers(self, problem: &Problem, seed: u64) -> Vec<ServerIndex> {
        let mut servers: Vec<ServerIndex> = problem.server_indices().collect();
        match self {
            Order::Given => {}
            Order::SmallestFirst => servers.sort_by_cached_key(|&server| size(problem, server)),
            Order::LargestFirst => servers.sort_by_cached_key(|&server| Reverse(size(problem, server))),
            Order::Random => servers.shuffle(&mut ChaCha8Rng::seed_from_u64(seed)),
        }
        servers
    }
}

/// What servers are compared by.
fn size(problem: &Problem, server: ServerIndex) -> (Vec<(bool, Amount)>, u64) {
    let kind = problem.kind_of(server);
    let capacity = |capacity: &Option<Amount>| (capacity.is_none(), capacity.unwrap_or_default());
    (kind.capacity.iter().map(capacity).collect(), kind.pages)
}
