//! A placement to begin with where cores and main memory are scarce: every machine keeps what those that come later will need there.
//!
//! What is small is admitted first, as far as the fleet has room for it as if it were one machine. What shares a GPU is placed before what
//! fills one, and of these what needs most cores and memory. Each goes to the machine that then has most to spare: of what is left there,
//! beside what its share of the rest needs on average. Shares are those of the facet that leaves the fleet least room.

use super::kinds::{Detail, Kind};
use super::lift::place;
use super::machine_level::Content;
use super::pools::{Grain, Pool};
use crate::instance::Problem;
use cluster::{Demands, Placement};
use ground::Amount;
use mig::{Counts, Hull};

/// What workloads of a kind need: of each facet, and of cores and memory.
struct Need {
    kind: usize,
    number: u32,
    facets: Vec<i64>,
    resources: [f64; 2],
    /// Whether one of them leaves room on its GPU.
    shares: bool,
}

/// What a machine has left.
#[derive(Clone)]
struct Left {
    facets: Vec<i64>,
    resources: [f64; 2],
}

/// What is still to be placed needs together.
struct Rest {
    /// The scarcest facet.
    facet: usize,
    /// Of that facet.
    of_facet: i64,
    resources: [f64; 2],
}

/// A placement for a fleet whose GPUs are all alike and free to hold anything; else none.
pub fn balanced(problem: &Problem) -> Option<Placement> {
    let kinds = Kind::all(problem, Detail::PlacesForgotten);
    let pools = Pool::all(problem, &kinds, Grain::Machine);
    let first = pools.first()?;
    let is_free = |pool: &Pool| pool.board == first.board && pool.pinned.is_empty();
    if problem.has_rules() || !pools.iter().all(is_free) || kinds.is_empty() {
        return None;
    }
    let hull = first.room.hull.as_ref()?;
    let demands = Demands::of(&problem.cluster);
    let mut left: Vec<Left> = pools.iter().map(|pool| left(problem, &demands, hull, pool)).collect();
    let need = |(kind, about): (usize, &Kind)| need(problem, &demands, hull, first, kind, about);
    let mut needs: Vec<Need> = kinds.iter().enumerate().filter_map(need).collect();
    let has = [0, 1].map(|resource| left.iter().map(|left| left.resources[resource]).sum::<f64>());
    let size = |need: &Need| (0..2).map(|resource| need.resources[resource] / has[resource]).sum::<f64>();
    needs.sort_by(|one, other| size(one).total_cmp(&size(other)).then(one.kind.cmp(&other.kind)));
    let mut rest = admit(&kinds, &mut needs, &left);
    needs.sort_by(|one, other| {
        (other.shares.cmp(&one.shares))
            .then(size(other).total_cmp(&size(one)))
            .then(one.kind.cmp(&other.kind))
    });
    let mut contents = vec![Content { counts: vec![0; kinds.len()], gpus: 0 }; pools.len()];
    for need in &needs {
        for _ in 0..need.number {
            rest.take(need);
            let Some(machine) = most_to_spare(&left, need, &rest, has) else { continue };
            left[machine].take(need);
            contents[machine].counts[need.kind] += 1;
        }
    }
    for (content, pool) in contents.iter_mut().zip(&pools) {
        let counts = counts(problem, &kinds, pool, content);
        content.gpus = (0..=pool.size()).find(|&gpus| hull.contains(&counts, gpus))?;
    }
    Some(place(problem, &kinds, &pools, &contents))
}

/// What a machine has.
fn left(problem: &Problem, demands: &Demands, hull: &Hull, pool: &Pool) -> Left {
    let of_facet = |capacity: u32| i64::from(capacity) * i64::from(pool.size());
    let mut resources = [f64::INFINITY; 2];
    for resource in demands.limited(&[problem.machine(pool.machine).capacities()]) {
        resources[usize::from(resource.name == "memory")] = resource.capacity;
    }
    Left { facets: hull.facets().iter().map(|facet| of_facet(facet.capacity)).collect(), resources }
}

/// What workloads of a kind need, where GPUs can hold them.
fn need(
    problem: &Problem,
    demands: &Demands,
    hull: &Hull,
    pool: &Pool,
    kind: usize,
    about: &Kind,
) -> Option<Need> {
    let profile = about.profile_on(problem, pool.board)?;
    let one = Counts::unit(problem.cluster.boards[pool.board.index()].profiles().len(), profile);
    if !hull.contains(&one, 1) {
        return None;
    }
    let mut resources = [0.0; 2];
    let limits = [(Some(Amount::ZERO), Some(Amount::ZERO))];
    for resource in demands.limited(&limits) {
        let needed = resource.of_workload(&problem.cluster, about.example);
        resources[usize::from(resource.name == "memory")] = needed;
    }
    let facets = hull.facets().iter().map(|facet| i64::from(facet.coefficients[profile.index()])).collect();
    Some(Need { kind, number: 0, facets, resources, shares: !hull.maximal().contains(&one) })
}

/// Admits as many as the whole fleet has room for, those that must have a place before all others; what these need together.
fn admit(kinds: &[Kind], needs: &mut [Need], left: &[Left]) -> Rest {
    let facets = left[0].facets.len();
    let has: Vec<i64> = (0..facets).map(|facet| left.iter().map(|left| left.facets[facet]).sum()).collect();
    let mut room = has.clone();
    for must_stay in [true, false] {
        for need in needs.iter_mut() {
            let kind = &kinds[need.kind];
            let wanted = if must_stay { kind.must_stay as u32 } else { kind.count() } - need.number;
            let fits = (0..facets).filter(|&facet| need.facets[facet] > 0);
            let most = fits.map(|facet| (room[facet] / need.facets[facet]).max(0)).min();
            let number = most.map_or(wanted, |most| u32::try_from(most).unwrap_or(wanted).min(wanted));
            need.number += number;
            (0..facets).for_each(|facet| room[facet] -= i64::from(number) * need.facets[facet]);
        }
    }
    let is_scarcer = |&one: &usize, &other: &usize| {
        let (one, other) =
            (room[one] as f64 / has[one].max(1) as f64, room[other] as f64 / has[other].max(1) as f64);
        one.total_cmp(&other)
    };
    let facet = (0..facets).min_by(is_scarcer).unwrap_or(0);
    let resource = |resource: usize| {
        needs.iter().map(|need| need.resources[resource] * f64::from(need.number)).sum::<f64>()
    };
    let of_facet = needs.iter().map(|need| need.facets[facet] * i64::from(need.number)).sum();
    Rest { facet, of_facet, resources: [0, 1].map(resource) }
}

/// The machine that has most to spare with one more workload.
fn most_to_spare(left: &[Left], need: &Need, rest: &Rest, has: [f64; 2]) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (machine, left) in left.iter().enumerate().filter(|(_, left)| left.fits(need)) {
        let free = left.facets[rest.facet] - need.facets[rest.facet];
        let share = free as f64 / rest.of_facet.max(1) as f64;
        let of_resource = |resource: usize| {
            let spare =
                left.resources[resource] - need.resources[resource] - share * rest.resources[resource];
            if has[resource].is_finite() { spare / has[resource] } else { f64::INFINITY }
        };
        let spare = of_resource(0).min(of_resource(1));
        if best.is_none_or(|best| spare > best.0) {
            best = Some((spare, machine));
        }
    }
    best.map(|best| best.1)
}

/// What a content holds by profile.
fn counts(problem: &Problem, kinds: &[Kind], pool: &Pool, content: &Content) -> Counts {
    let mut counts = Counts::zero(problem.cluster.boards[pool.board.index()].profiles().len());
    for (kind, &number) in kinds.iter().zip(&content.counts).filter(|(_, number)| **number > 0) {
        let profile = kind.profile_on(problem, pool.board).expect("its GPUs can hold it");
        counts.set(profile, counts.get(profile) + number);
    }
    counts
}

impl Left {
    fn fits(&self, need: &Need) -> bool {
        let fits_facets = self.facets.iter().zip(&need.facets).all(|(left, need)| need <= left);
        fits_facets && self.resources.iter().zip(&need.resources).all(|(left, need)| need <= left)
    }

    fn take(&mut self, need: &Need) {
        self.facets.iter_mut().zip(&need.facets).for_each(|(left, need)| *left -= need);
        self.resources.iter_mut().zip(&need.resources).for_each(|(left, need)| *left -= need);
    }
}

impl Rest {
    fn take(&mut self, need: &Need) {
        self.of_facet -= need.facets[self.facet];
        self.resources.iter_mut().zip(&need.resources).for_each(|(left, need)| *left -= need);
    }
}
