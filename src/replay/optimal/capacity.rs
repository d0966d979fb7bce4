//! What the GPUs of a fleet can hold, as sums.

use crate::asked_for::fills_asked_for;
use cluster::{BoardIndex, Cluster};
use itertools::Itertools;
use mig::{Facet, Hull};

/// Inequalities that what runs on any one GPU obeys.
pub struct Capacity {
    /// The inequalities.
    pub limits: Vec<Limit>,
}

/// What runs on a GPU never needs more than its capacity together.
pub struct Limit {
    /// What each request needs.
    pub of_request: Vec<i128>,
    /// What a GPU has.
    pub capacity: i128,
}

/// Largest number of inequalities.
const MOST: usize = 256;

impl Capacity {
    /// `None` if there is no hull of what some board holds, or if there are too many inequalities.
    ///
    /// For GPUs of one board they are the facets of what it holds, see [`Hull`]. For several boards each choice of a facet of
    /// each gives one: a request needs the least share of a GPU that it has of the chosen facets, so that what runs on a GPU has
    /// at most the shares of its own board's facet, which are 1 at most together.
    pub fn of(cluster: &Cluster) -> Option<Self> {
        let used: Vec<BoardIndex> = cluster.gpus.iter().map(|gpu| gpu.board).sorted().dedup().collect();
        let mut boards: Vec<(BoardIndex, Vec<Facet>)> = Vec::new();
        for board in used {
            if cluster.requests.iter().all(|request| request.on_board[board.index()].is_none()) {
                continue;
            }
            let hull = Hull::of(&fills_asked_for(cluster, board))?;
            boards.push((board, hull.facets().iter().filter(|facet| facet.capacity > 0).cloned().collect()));
        }
        let choices = boards.iter().map(|(_, facets)| facets.len()).try_fold(1, usize::checked_mul);
        if choices.is_none_or(|choices| choices > MOST) {
            return None;
        }
        let chosen = boards
            .iter()
            .map(|(board, facets)| facets.iter().map(|facet| (*board, facet)))
            .multi_cartesian_product();
        let limits: Option<Vec<Limit>> = chosen.map(|facets| Limit::of(cluster, &facets)).collect();
        Some(Capacity { limits: limits? })
    }
}

impl Limit {
    /// The inequality of a choice of facets; `None` if its numbers are too great.
    fn of(cluster: &Cluster, facets: &[(BoardIndex, &Facet)]) -> Option<Self> {
        let capacities = facets.iter().map(|(_, facet)| i128::from(facet.capacity));
        let capacity = capacities.into_iter().try_fold(1_i128, i128::checked_mul)?;
        let mut of_request = Vec::new();
        for request in &cluster.requests {
            let mut least: Option<i128> = None;
            for (board, facet) in facets {
                let Some(profile) = request.on_board[board.index()] else { continue };
                let coefficient = i128::from(facet.coefficients[profile.index()]);
                let share = coefficient.checked_mul(capacity / i128::from(facet.capacity))?;
                least = Some(least.map_or(share, |least| least.min(share)));
            }
            of_request.push(least.unwrap_or(0));
        }
        Some(Limit { of_request, capacity })
    }
}
