//! A lower bound that people can add up.

use cluster::{BoardIndex, Cluster, RequestIndex};
use ground::Amount;
use itertools::Itertools;
use mig::{Board, Facet, Hull, ProfileIndex, patterns};
use num_integer::{gcd, lcm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// At most so many choices of a facet per board are tried.
const MOST_CHOICES: usize = 100_000;

/// Why no choice of GPUs of some boards costs less: every instance weighs something, wherever it is, and a GPU of each board carries
/// only so much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counting {
    /// No choice of GPUs costs less, by this count alone.
    pub bound: Amount,
    /// What the load weighs: the sum of `number` times `weight`.
    pub load: u64,
    /// What an instance of each profile weighs, the heaviest first; those that weigh nothing are left out.
    pub weights: Vec<ProfileWeight>,
    /// What a GPU of each board carries at most.
    pub capacities: Vec<BoardCapacity>,
}

/// What the instances of a profile weigh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileWeight {
    /// The profile, as the load names it.
    pub profile: String,
    /// How many instances of it the load has.
    pub number: u64,
    /// What each of them weighs.
    pub weight: u64,
}

/// What a GPU of a board carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardCapacity {
    /// The board.
    pub board: String,
    /// The instances on one GPU weigh at most this much.
    pub capacity: u64,
}

/// A board of which there are GPUs.
struct Kind<'c> {
    index: BoardIndex,
    board: &'c Board,
    /// What one of its GPUs costs, in millionths.
    cost: i128,
    facets: Vec<Facet>,
}

impl Counting {
    /// The best bounds of this kind for a cluster all of whose workloads are placed, with what a GPU of each of its boards costs: one
    /// for each group of boards that have no profile of the load in common with others, so that the bounds add up. Without those for
    /// which a GPU costs nothing, a workload fits on no GPU, or a board has too many layouts.
    ///
    /// On a GPU of any board, the instances use a share of what a facet of the convex hull of its fills allows. With a facet chosen for
    /// every board, the price of an instance is the least that its share costs on any board, so that the prices of what is on a GPU
    /// are no more than the cost of the GPU, and those of the load no more than the cost of all GPUs in use.
    pub(crate) fn of(cluster: &Cluster, costs: &[Amount]) -> Vec<Counting> {
        let mut load: BTreeMap<RequestIndex, i128> = BTreeMap::new();
        for workload in &cluster.workloads {
            *load.entry(workload.request).or_default() += 1;
        }
        let used: BTreeSet<BoardIndex> = cluster.gpus.iter().map(|gpu| gpu.board).collect();
        let groups = groups(cluster, load.keys().copied(), &used);
        groups.iter().filter_map(|boards| of_group(cluster, &load, boards, costs)).collect()
    }
}

/// The boards in groups that share no profile of the load.
fn groups(
    cluster: &Cluster,
    load: impl Iterator<Item = RequestIndex>,
    used: &BTreeSet<BoardIndex>,
) -> Vec<BTreeSet<BoardIndex>> {
    let mut groups: Vec<BTreeSet<BoardIndex>> = Vec::new();
    for request in load {
        let boards = used.iter().copied().filter(|&board| profile_on(cluster, request, board).is_some());
        let mut together: BTreeSet<BoardIndex> = boards.collect();
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.is_disjoint(&together));
        together.extend(joined.into_iter().flatten());
        groups = apart;
        groups.push(together);
    }
    groups.sort_unstable();
    groups
}

/// The best bound for the load on a group of boards.
fn of_group(
    cluster: &Cluster,
    load: &BTreeMap<RequestIndex, i128>,
    boards: &BTreeSet<BoardIndex>,
    costs: &[Amount],
) -> Option<Counting> {
    let fits =
        |request: RequestIndex| boards.iter().any(|&board| profile_on(cluster, request, board).is_some());
    let load = load.iter().filter(|(request, _)| fits(**request));
    let load: BTreeMap<RequestIndex, i128> = load.map(|(&request, &number)| (request, number)).collect();
    let kinds = boards.iter().map(|&index| {
        let asked = load.keys().filter_map(|request| profile_on(cluster, *request, index));
        Kind::of(cluster, index, &asked.collect(), costs[index.index()])
    });
    let kinds: Vec<Kind> = kinds.collect::<Option<_>>()?;
    let choices = kinds.iter().map(|kind| kind.facets.len()).try_fold(1, usize::checked_mul);
    if kinds.is_empty() || choices.is_none_or(|choices| choices > MOST_CHOICES) {
        return None;
    }
    let facets = kinds.iter().map(|kind| kind.facets.iter()).multi_cartesian_product();
    let counted = facets.filter_map(|facets| weigh(cluster, &load, &kinds, &facets));
    // Of the best ones the one with the smallest numbers.
    let simplicity = |counting: &Counting| {
        let most = counting.capacities.iter().map(|board| board.capacity).max();
        (counting.weights.len(), most)
    };
    counted.reduce(|best, other| {
        let is_better =
            other.bound > best.bound || other.bound == best.bound && simplicity(&other) < simplicity(&best);
        if is_better { other } else { best }
    })
}

impl<'c> Kind<'c> {
    fn of(
        cluster: &'c Cluster,
        index: BoardIndex,
        asked: &BTreeSet<ProfileIndex>,
        cost: Amount,
    ) -> Option<Self> {
        let board: &Arc<Board> = &cluster.boards[index.index()];
        let asked: Vec<ProfileIndex> = asked.iter().copied().collect();
        let hull = Hull::of(&patterns(board).of_profiles(&asked))?;
        let facets = hull.facets().iter().filter(|facet| facet.capacity > 0).cloned().collect();
        let cost = cost.millionths();
        (cost > 0).then_some(Kind { index, board, cost, facets })
    }
}

/// The bound for a facet of each board.
fn weigh(
    cluster: &Cluster,
    load: &BTreeMap<RequestIndex, i128>,
    kinds: &[Kind],
    facets: &[&Facet],
) -> Option<Counting> {
    // A GPU of a board carries its cost times this, so that all prices are whole.
    let scale = facets.iter().map(|facet| i128::from(facet.capacity)).fold(1, lcm);
    let price = |request: RequestIndex| -> Option<i128> {
        let shares = kinds.iter().zip(facets).filter_map(|(kind, facet)| {
            let profile = profile_on(cluster, request, kind.index)?;
            let share =
                i128::from(facet.coefficients[profile.index()]) * (scale / i128::from(facet.capacity));
            Some(kind.cost.checked_mul(share))
        });
        shares.collect::<Option<Vec<i128>>>()?.into_iter().min()
    };
    let prices: Vec<(RequestIndex, i128, i128)> = load
        .iter()
        .map(|(&request, &number)| Some((request, number, price(request)?)))
        .collect::<Option<_>>()?;
    let total = prices
        .iter()
        .try_fold(0_i128, |sum, (_, number, price)| sum.checked_add(number.checked_mul(*price)?))?;
    let carried: Vec<i128> = kinds.iter().map(|kind| kind.cost.checked_mul(scale)).collect::<Option<_>>()?;
    // All costs are multiples of this one.
    let unit = kinds.iter().map(|kind| kind.cost).fold(0, gcd);
    let of_unit = scale.checked_mul(unit)?;
    let units = total.checked_add(of_unit - 1)? / of_unit;
    let weight_of_one = prices.iter().map(|(_, _, price)| *price).chain(carried.iter().copied()).fold(0, gcd);
    let small = |weight: i128| u64::try_from(weight / weight_of_one).ok();
    let mut numbers: BTreeMap<(Reverse<u64>, String), u64> = BTreeMap::new();
    for (request, number, price) in prices.iter().filter(|(_, _, price)| *price > 0) {
        let profile = cluster.requests[request.index()].names.join("|");
        *numbers.entry((Reverse(small(*price)?), profile)).or_default() += u64::try_from(*number).ok()?;
    }
    let weights = numbers.into_iter().map(|((Reverse(weight), profile), number)| ProfileWeight {
        profile,
        number,
        weight,
    });
    let capacities = kinds.iter().zip(&carried).map(|(kind, &capacity)| {
        Some(BoardCapacity { board: kind.board.name().to_owned(), capacity: small(capacity)? })
    });
    Some(Counting {
        bound: Amount::from_millionths(units.checked_mul(unit)?),
        load: small(total)?,
        weights: weights.collect(),
        capacities: capacities.collect::<Option<_>>()?,
    })
}

fn profile_on(cluster: &Cluster, request: RequestIndex, board: BoardIndex) -> Option<ProfileIndex> {
    cluster.requests[request.index()].on_board[board.index()]
}
