//! The convex hull of what fits: inequalities in place of lists of counts.
//!
//! The fills of a board are *down-closed*: what fits still fits when an instance is taken away. Hence their convex hull
//! P is down-closed among the vectors n >= 0 as well, for a coordinate of a convex combination shrinks when the same
//! coordinate of every summand is replaced by 0 in part. So P = {n >= 0 : a n <= b for all facets (a, b)} with a >= 0
//! and b >= 0, and (a, b) is valid as soon as it is valid for the maximal fills. The valid inequalities are a cone,
//!
//! ```text
//!     {(a, b) : a >= 0, b >= 0, a v <= b for every maximal fill v},
//! ```
//!
//! whose extreme rays contain the facets (the antiblocking polyhedron of Fulkerson, "Blocking and anti-blocking pairs
//! of polyhedra", 1971). An extreme ray is a facet exactly if no coefficient of it can be raised: it can be raised where
//! it is 0 and no fill that meets the inequality with equality has an instance of that profile. The rays are found by
//! the double description method of Motzkin et al. (1953) in exact integers.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::counts::Counts;
use super::fill::FillTable;
use super::instance::ProfileIndex;
use num_integer::gcd;

/// Largest number of maximal fills, and of extreme rays after any step of the computation; the boards of the catalogue
/// need at most 304.
const BUDGET: usize = 1_000;

/// A linear inequality over instance counts: `coefficients * counts <= capacity`, in lowest terms.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct Facet {
    /// What one instance of every profile uses, in the board's order.
    pub coefficients: Vec<u32>,
    /// What one board has.
    pub capacity: u32,
}

impl Facet {
    /// What the instances of `counts` use together.
    pub fn used_by(&self, counts: &Counts) -> u128 {
        self.value_at(counts.as_slice())
    }

    fn value_at(&self, counts: &[u32]) -> u128 {
        dot(self.coefficients.iter().copied().map(u128::from), counts)
            .expect("a sum of fewer than 2^64 products of 32-bit numbers")
    }
}

/// The convex hull P of the fills of a board or of a part of it.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Hull {
    facets: Vec<Facet>,
    maximal: Vec<Counts>,
    /// For every profile the first one of its class of profiles that may always stand in for each other.
    twins: Vec<ProfileIndex>,
}

impl Hull {
    /// The hull of some fills, such as the [`super::patterns`] of a board; `None` if there are more than 1,000 maximal
    /// fills or intermediate inequalities, or if a coefficient exceeds 32 bits.
    ///
    /// Profiles that may always stand in for each other are computed as one: they have the same coefficients.
    pub fn of(fills: &FillTable) -> Option<Hull> {
        let maximal: Vec<Counts> = fills.maximal().into_iter().cloned().collect();
        if maximal.len() > BUDGET {
            return None;
        }
        let twins = first_twins(fills, &maximal);
        let firsts = distinct(&twins);
        let of_firsts: Vec<Vec<u32>> = maximal
            .iter()
            .filter(|fill| fill.iter().all(|(profile, _)| firsts.contains(&profile)))
            .map(|fill| firsts.iter().map(|profile| fill.get(*profile)).collect())
            .collect();
        let mut facets = valid_inequalities(&of_firsts)?;
        facets.retain(|facet| is_facet(facet, &of_firsts));
        let position = |first: &ProfileIndex| firsts.binary_search(first).expect("it is one of them");
        for facet in &mut facets {
            facet.coefficients = twins.iter().map(|first| facet.coefficients[position(first)]).collect();
        }
        facets.sort_unstable();
        Some(Hull { facets, maximal, twins })
    }

    /// The inequalities that, together with `counts >= 0`, describe the hull, in ascending order; none is redundant.
    ///
    /// The profiles of which no instance fits have the inequality that the sum of their counts is at most 0, the only
    /// one whose capacity is 0. All others are facets.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// The fills that are not below another fill, in ascending order.
    pub fn maximal(&self) -> &[Counts] {
        &self.maximal
    }

    /// Whether the counts lie in `copies` * P, the hull scaled by a factor.
    pub fn contains(&self, counts: &Counts, copies: u32) -> bool {
        let fits = |facet: &Facet| facet.used_by(counts) <= u128::from(facet.capacity) * u128::from(copies);
        self.facets.iter().all(fits)
    }

    /// The first profile of every class of profiles that may always stand in for each other, of those that fit at all.
    pub(super) fn first_twins(&self) -> Vec<ProfileIndex> {
        let mut firsts = distinct(&self.twins);
        firsts.retain(|profile| self.maximal.iter().any(|fill| fill.get(*profile) > 0));
        firsts
    }
}

/// For every profile the first one such that either may always stand in for the other.
///
/// A set of fills that is closed under these exchanges depends on the sums over the classes alone, and its hull too: a
/// convex combination of points that use one profile of a class each has any shares of the class.
fn first_twins(fills: &FillTable, maximal: &[Counts]) -> Vec<ProfileIndex> {
    let may_replace = |old: ProfileIndex, new: ProfileIndex| {
        let mut replaced = maximal.iter().filter_map(|fill| Some(fill.remove_one(old)?.add_one(new)));
        replaced.all(|counts| fills.allows(&counts))
    };
    let profiles = (0..maximal[0].len() as u8).map(ProfileIndex);
    let first_twin = |profile: ProfileIndex| {
        let mut earlier = (0..profile.0).map(ProfileIndex);
        let twin = earlier.find(|other| may_replace(*other, profile) && may_replace(profile, *other));
        twin.unwrap_or(profile)
    };
    profiles.map(first_twin).collect()
}

fn distinct(profiles: &[ProfileIndex]) -> Vec<ProfileIndex> {
    profiles.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}

/// An extreme ray (a, b) of the cone of inequalities, in lowest terms.
struct Ray {
    /// The coefficients a, then the capacity b.
    entries: Vec<u128>,
    /// Which of the inequalities that define the cone are equations here, as a set of bits.
    tight: Vec<u64>,
}

/// The extreme rays of the cone of inequalities that are valid for the given vectors.
fn valid_inequalities(vectors: &[Vec<u32>]) -> Option<Vec<Facet>> {
    let dimension = vectors.first()?.len() + 1;
    let mut rays: Vec<Ray> =
        (0..dimension).map(|axis| Ray::of_axis(axis, dimension, dimension + vectors.len())).collect();
    for (position, vector) in vectors.iter().enumerate() {
        rays = cut(rays, vector, dimension + position)?;
        if rays.len() > BUDGET {
            return None;
        }
    }
    rays.iter().map(Ray::facet).collect()
}

/// The extreme rays of the cone of `rays` once its members must be valid for `vector` as well.
fn cut(mut rays: Vec<Ray>, vector: &[u32], number: usize) -> Option<Vec<Ray>> {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for (index, ray) in rays.iter_mut().enumerate() {
        let used = dot(ray.coefficients(), vector)?;
        let distance = used.abs_diff(ray.capacity());
        match used.cmp(&ray.capacity()) {
            Ordering::Less => inside.push((index, distance)),
            Ordering::Equal => ray.tight[number / 64] |= 1 << (number % 64),
            Ordering::Greater => outside.push((index, distance)),
        }
    }
    let mut added = Vec::new();
    for (near, to_near) in &inside {
        for (far, to_far) in &outside {
            if are_adjacent(&rays, *near, *far) {
                added.push(rays[*near].meet(*to_near, &rays[*far], *to_far, number)?);
            }
        }
    }
    let mut index = 0..;
    rays.retain(|_| index.next().is_some_and(|index| outside.iter().all(|(far, _)| *far != index)));
    rays.append(&mut added);
    Some(rays)
}

/// Whether the two rays span a face of dimension 2: no third ray satisfies all equations that they have in common.
fn are_adjacent(rays: &[Ray], first: usize, second: usize) -> bool {
    let common = rays[first].in_common(&rays[second]);
    let dimension = rays[first].entries.len() as u32;
    let equations: u32 = common.iter().map(|bits| bits.count_ones()).sum();
    let satisfies_all = |ray: &Ray| common.iter().zip(&ray.tight).all(|(common, tight)| common & !tight == 0);
    let mut others = rays.iter().enumerate().filter(|(index, _)| *index != first && *index != second);
    equations + 2 >= dimension && !others.any(|(_, ray)| satisfies_all(ray))
}

impl Ray {
    /// The ray along one axis of the orthant; the first inequalities are those of the orthant.
    fn of_axis(axis: usize, dimension: usize, inequalities: usize) -> Ray {
        let entries = (0..dimension).map(|other| u128::from(other == axis)).collect();
        let mut tight = vec![0; inequalities.div_ceil(64)];
        (0..dimension)
            .filter(|other| *other != axis)
            .for_each(|other| tight[other / 64] |= 1 << (other % 64));
        Ray { entries, tight }
    }

    fn capacity(&self) -> u128 {
        self.entries[self.entries.len() - 1]
    }

    fn coefficients(&self) -> impl Iterator<Item = u128> {
        self.entries[..self.entries.len() - 1].iter().copied()
    }

    fn in_common(&self, other: &Ray) -> Vec<u64> {
        self.tight.iter().zip(&other.tight).map(|(here, there)| here & there).collect()
    }

    /// The ray between this one and another, at given distances on either side, on which inequality `number` is an
    /// equation.
    fn meet(&self, distance: u128, other: &Ray, other_distance: u128, number: usize) -> Option<Ray> {
        let sum = |(here, there): (&u128, &u128)| {
            here.checked_mul(other_distance)?.checked_add(there.checked_mul(distance)?)
        };
        let mut entries: Vec<u128> =
            self.entries.iter().zip(&other.entries).map(sum).collect::<Option<_>>()?;
        let divisor = entries.iter().copied().fold(0, gcd);
        entries.iter_mut().for_each(|entry| *entry /= divisor);
        let mut tight = self.in_common(other);
        tight[number / 64] |= 1 << (number % 64);
        Some(Ray { entries, tight })
    }

    fn facet(&self) -> Option<Facet> {
        let coefficients =
            self.coefficients().map(|entry| u32::try_from(entry).ok()).collect::<Option<_>>()?;
        Some(Facet { coefficients, capacity: u32::try_from(self.capacity()).ok()? })
    }
}

/// Whether a valid inequality that is an extreme ray cuts something off and no coefficient of it can be raised.
fn is_facet(inequality: &Facet, maximal: &[Vec<u32>]) -> bool {
    let is_met = |fill: &&Vec<u32>| inequality.value_at(fill) == u128::from(inequality.capacity);
    let met: Vec<&Vec<u32>> = maximal.iter().filter(is_met).collect();
    let coefficients = inequality.coefficients.iter();
    let cannot_be_raised = |(profile, coefficient): (usize, &u32)| {
        *coefficient > 0
            || met.iter().any(|fill| fill[profile] > 0)
            || maximal.iter().all(|fill| fill[profile] == 0)
    };
    coefficients.clone().any(|coefficient| *coefficient > 0) && coefficients.enumerate().all(cannot_be_raised)
}

fn dot(coefficients: impl Iterator<Item = u128>, counts: &[u32]) -> Option<u128> {
    coefficients.zip(counts).try_fold(0_u128, |sum, (coefficient, count)| {
        sum.checked_add(coefficient.checked_mul(u128::from(*count))?)
    })
}
