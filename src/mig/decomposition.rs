//! Several boards as one: which sums of counts are what K equal boards hold together.
//!
//! K boards hold together exactly the sums of K fills. All of these lie in K * P, P being the [`Hull`] of the fills; P
//! has the *integer decomposition property* if, conversely, every integer point of K * P is such a sum for every K. Then
//! the facets of P times K describe K boards exactly, without an index for the board.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::counts::Counts;
use super::hull::{Facet, Hull};
use super::instance::ProfileIndex;

/// Largest number of integer points that are looked at; the boards of the catalogue need at most 126 thousand.
const POINT_BUDGET: u64 = 500_000;

/// Whether a hull has the integer decomposition property.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Decomposition {
    /// Every integer point of K times the hull is the sum of K fills, for every K >= 1.
    Holds,
    /// Some integer point of K times the hull is not the sum of K fills.
    Fails {
        /// The integer point. No instance can be added to it within K times the hull.
        counts: Counts,
        /// The smallest number K of boards for which there is one.
        copies: u32,
    },
    /// There are too many integer points to look at all of them.
    Undecided,
}

impl Hull {
    /// Whether the hull has the integer decomposition property; exact, within a budget of integer points.
    ///
    /// Only finitely many points need to be looked at:
    ///
    /// * From K = d - 1 on, d being the dimension, every integer point of (K + 1) * P is the sum of one of K * P and one
    ///   of P, whatever the lattice polytope P (Cox, Little & Schenck, "Toric Varieties", proof of Theorem 2.2.12). So
    ///   K <= max(d - 1, 1) suffices.
    /// * What lies below a sum of K fills is one, because the fills are down-closed. So the maximal integer points
    ///   suffice; and once K - 1 is settled, such a point n is a sum of K fills exactly if what is left of n beside some
    ///   maximal fill lies in (K - 1) * P.
    /// * Profiles that may always stand in for each other count as one: a sum in which one of them stands for all
    ///   can be relabelled at will.
    ///
    /// A property of the board passes on to every choice of its profiles, because leaving a profile out is going over
    /// to a face of P: if a sum of K points of P lies in K times the face, all summands lie in the face. The converse
    /// is not true, so where the board fails, [`super::FillTable::of_profiles`] may still have the property.
    pub fn decomposition(&self) -> Decomposition {
        let mut profiles = self.first_twins();
        let most = |profile: &ProfileIndex| self.maximal().iter().map(|fill| fill.get(*profile)).max();
        profiles.sort_by_key(most);
        let copies = 1..=profiles.len().saturating_sub(1).max(1) as u32;
        let mut search = Search { hull: self, profiles, points_left: POINT_BUDGET };
        match copies.into_iter().try_for_each(|copies| search.all_points(copies)) {
            ControlFlow::Continue(()) => Decomposition::Holds,
            ControlFlow::Break(reason) => reason,
        }
    }

    /// The counts as the sum of `parts` fills; `None` if they are no such sum. Fills at the end may be empty.
    ///
    /// The hull tells whether the remaining counts can be the sum of the remaining fills, so the search goes back only
    /// where the integer decomposition property fails, and it meets no remainder twice.
    pub fn split(&self, counts: &Counts, parts: u32) -> Option<Vec<Counts>> {
        let mut fills = Vec::new();
        self.split_rest(counts, parts, &mut fills, &mut BTreeSet::new()).then_some(fills)
    }

    fn split_rest(
        &self,
        rest: &Counts,
        parts: u32,
        fills: &mut Vec<Counts>,
        failed: &mut BTreeSet<(u32, Counts)>,
    ) -> bool {
        if parts == 0 {
            return rest.is_zero();
        }
        if !self.contains(rest, parts) || failed.contains(&(parts, rest.clone())) {
            return false;
        }
        for maximal in self.maximal() {
            let fill = maximal.minimum(rest);
            let left = rest.checked_sub(&fill).expect("the minimum is not larger");
            fills.push(fill);
            if self.split_rest(&left, parts - 1, fills, failed) {
                return true;
            }
            fills.pop();
        }
        failed.insert((parts, rest.clone()));
        false
    }
}

/// A walk over the maximal integer points of multiples of a hull, in the coordinates of some profiles.
struct Search<'a> {
    hull: &'a Hull,
    profiles: Vec<ProfileIndex>,
    points_left: u64,
}

impl Search<'_> {
    /// Whether every integer point of `copies` * P is a sum of fills if the same is known of one copy less.
    fn all_points(&mut self, copies: u32) -> ControlFlow<Decomposition> {
        let capacity = |facet: &Facet| u64::from(facet.capacity) * u64::from(copies);
        let left: Vec<u64> = self.hull.facets().iter().map(capacity).collect();
        let nothing = Counts::zero(self.hull.maximal()[0].len());
        self.points_above(0, &nothing, left, copies)
    }

    /// The same for the points that agree with `counts` in the first `depth` profiles; `left` is what the facets leave.
    fn points_above(
        &mut self,
        depth: usize,
        counts: &Counts,
        mut left: Vec<u64>,
        copies: u32,
    ) -> ControlFlow<Decomposition> {
        let Some(profile) = self.profiles.get(depth).copied() else {
            return self.point(counts, &left, copies);
        };
        let mut counts = counts.clone();
        loop {
            let less = self.take(&left, profile);
            if less.is_none() || depth + 1 < self.profiles.len() {
                self.points_above(depth + 1, &counts, left, copies)?;
            }
            let Some(less) = less else { return ControlFlow::Continue(()) };
            left = less;
            counts = counts.add_one(profile);
        }
    }

    /// Whether one point is a sum of fills, or lies below another point.
    fn point(&mut self, counts: &Counts, left: &[u64], copies: u32) -> ControlFlow<Decomposition> {
        self.points_left -= 1;
        if self.points_left == 0 {
            return ControlFlow::Break(Decomposition::Undecided);
        }
        let is_maximal = self.profiles.iter().all(|profile| self.take(left, *profile).is_none());
        let splits = |fill: &Counts| {
            let rest = counts.checked_sub(&counts.minimum(fill)).expect("the minimum is not larger");
            self.hull.contains(&rest, copies - 1)
        };
        if !is_maximal || self.hull.maximal().iter().any(splits) {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Decomposition::Fails { counts: counts.clone(), copies })
    }

    /// What the facets leave after one more instance of a profile; `None` if it does not fit.
    fn take(&self, left: &[u64], profile: ProfileIndex) -> Option<Vec<u64>> {
        let less =
            |(left, facet): (&u64, &Facet)| left.checked_sub(u64::from(facet.coefficients[profile.index()]));
        left.iter().zip(self.hull.facets()).map(less).collect()
    }
}
