//! Bounds and packings from patterns: sets of virtual machines that one server can host.
//!
//! Give every virtual machine a price. A server can host virtual machines of a value of at most what its most valuable pattern is
//! worth, and all virtual machines together have a certain value: the cheapest servers that together can host that value cost at
//! least the bound (Dantzig & Wolfe's decomposition, by its dual; Farley). The best prices are found by cutting planes (Kelley):
//! each pattern found is a row of a linear program of prices. Between the prices of that program and the best ones so far the
//! search takes a middle way, which keeps it from jumping about (Wentges).
//!
//! Prices are multiples of a power of 1/2, so that the bound is a sum of whole numbers.
//!
//! Where the best bound leaves room for a cheaper packing, its prices tell which patterns such a packing can consist of: those that
//! are worth so much that the others can make up for what they lack. If they are few, all of them are listed, and a program that
//! chooses among them decides the question; else the patterns met on the way make up packings.

mod assembly;
mod candidates;
mod center;
mod filling;
mod greedy;
mod pattern;
mod price;
mod prices;
mod search;
mod types;
mod valuable;

pub use search::Search;

use crate::instance::{Problem, ServerIndex};
use crate::rules::Packing;
use assembly::Wanted;
use center::Center;
use greedy::fill;
use ground::Amount;
use milp::Work;
use pattern::Pattern;
use prices::{Outer, Prices};
use std::collections::BTreeSet;
use types::Types;
use valuable::{Effort, most_valuable};

/// Rounds of the search for prices.
const MOST_ROUNDS: usize = 600;
/// New patterns that a round adds at most.
const MOST_NEW: usize = 30;
/// How much of the way back to the best prices is taken.
const STABILITY: f64 = 0.6;
/// Below this share of the way back, prices are taken as they are.
const LEAST_STABILITY: f64 = 0.05;
/// Nodes of one search for the most valuable pattern.
const NODES_OF_PRICING: u64 = 400_000;
/// By how much a pattern must be worth more than its server costs, in the cost's units.
const TOLERANCE: f64 = 1e-6;

/// What is known in the end.
pub struct Found {
    /// No packing costs less, in units of the costs.
    pub bound: Amount,
    /// A packing cheaper than the known one.
    pub packing: Option<Packing>,
    /// The effort.
    pub work: Work,
}

/// Bounds the cost of packing all virtual machines on servers of the pool, and looks for a packing cheaper than the known one; `bound` is what
/// is proved already.
///
/// # Errors
/// When the solver refuses a program.
pub fn price_patterns(
    problem: &Problem,
    pool: &[ServerIndex],
    known: &Packing,
    bound: Amount,
    search: &Search<'_>,
) -> Result<Found, String> {
    let types = Types::of(problem, pool);
    let mut pricing = Pricing::new(&types, known, bound, search)?;
    for _ in 0..MOST_ROUNDS {
        if pricing.best >= pricing.target || search.control.is_interrupted() || !pricing.round() {
            break;
        }
    }
    pricing.conclude()
}

/// The search for prices. Costs are in units.
struct Pricing<'t, 's> {
    types: &'t Types<'t>,
    search: &'s Search<'s>,
    program: Prices<'s>,
    /// Patterns met, all of them in the program.
    met: BTreeSet<Pattern>,
    /// No packing costs less.
    best: i128,
    /// What the known packing costs.
    target: i128,
    center: Option<Center>,
    /// How much of the way back to the center is taken.
    stability: f64,
    work: Work,
}

impl<'t, 's> Pricing<'t, 's> {
    fn new(
        types: &'t Types<'t>,
        known: &Packing,
        bound: Amount,
        search: &'s Search<'s>,
    ) -> Result<Self, String> {
        let of_known = types.patterns_of(known);
        let target = types.cost_of(&of_known);
        let met: BTreeSet<Pattern> = of_known.into_iter().chain(types.alone()).collect();
        let mut program = Prices::new(types, search.solver, search.settings)?;
        met.iter().for_each(|pattern| program.add(types, pattern));
        let (best, work) = (types.units(bound), Work::default());
        Ok(Pricing { types, search, program, met, best, target, center: None, stability: STABILITY, work })
    }

    /// One round; whether another one can lead further.
    fn round(&mut self) -> bool {
        let outer = self.program.best(self.search.deadline, self.search.control, &mut self.work);
        let Some(outer) = outer else { return false };
        // No prices prove more than the program of prices says.
        if (outer.value - TOLERANCE).ceil() <= self.best as f64 {
            return false;
        }
        let middle = self.middle(&outer);
        let is_outer = middle.is_none();
        let chosen = middle.unwrap_or_else(|| outer.prices.clone());
        let mut new: Vec<Pattern> = Vec::new();
        for prices in [&chosen, &outer.prices] {
            new.extend(fill(self.types, prices).into_iter().filter(|pattern| self.is_new(&outer, pattern)));
        }
        if new.is_empty() {
            let (found, worth) = self.most_valuable(&outer, &chosen);
            new = found;
            let proves_more = worth.is_some_and(|worth| self.note(chosen, worth));
            match proves_more || !new.is_empty() {
                true => {}
                false if is_outer => return false,
                // The middle way led nowhere: nearer to the prices of the program.
                false => self.stability /= 2.0,
            }
        }
        keep_best(&mut new, |pattern| outer.excess(self.types, pattern));
        for pattern in new {
            self.program.add(self.types, &pattern);
            self.met.insert(pattern);
        }
        true
    }

    /// Prices between the center and those of the program, if they are to be tried.
    fn middle(&self, outer: &Outer) -> Option<Vec<i64>> {
        let center = self.center.as_ref().filter(|_| self.stability >= LEAST_STABILITY)?;
        Some(between(&center.prices, &outer.prices, self.stability))
    }

    /// Whether a pattern is worth more than the program of prices knows.
    fn is_new(&self, outer: &Outer, pattern: &Pattern) -> bool {
        outer.excess(self.types, pattern) > TOLERANCE && !self.met.contains(pattern)
    }

    /// The most valuable patterns under prices, of which the new ones are returned, and what a server of each kind can host
    /// at most, if that could be found out for all of them.
    fn most_valuable(&mut self, outer: &Outer, prices: &[i64]) -> (Vec<Pattern>, Option<Vec<i64>>) {
        let thresholds = self.types.thresholds(prices, &outer.limits(self.types), self.best + 1);
        let (mut new, mut worth) = (Vec::new(), Vec::new());
        for (kind, threshold) in thresholds.into_iter().enumerate() {
            let effort = Effort { nodes: NODES_OF_PRICING, deadline: self.search.deadline };
            let most = most_valuable(self.types, kind, prices, threshold, effort);
            self.work.nodes += most.nodes;
            new.extend(most.pattern.filter(|pattern| self.is_new(outer, pattern)));
            worth.push(most.bound);
        }
        (new, worth.into_iter().collect())
    }

    /// Takes note of what prices prove; whether that is more than before.
    fn note(&mut self, prices: Vec<i64>, worth: Vec<i64>) -> bool {
        let proved = self.types.bound(&prices, &worth);
        let is_more = self.center.as_ref().is_none_or(|center| proved.fraction > center.fraction + TOLERANCE);
        if is_more {
            self.best = self.best.max(proved.whole);
            self.center = Some(Center { fraction: proved.fraction, prices, worth });
            self.stability = STABILITY;
        }
        is_more
    }

    /// Assembles a packing where the bound leaves room for a cheaper one.
    fn conclude(mut self) -> Result<Found, String> {
        let mut packing = None;
        if self.best < self.target {
            let most = self.target - 1;
            let listed = self
                .center
                .as_ref()
                .and_then(|center| self.types.candidates(center, most, self.search.deadline, &mut self.work));
            let complete = listed.is_some();
            self.met.extend(listed.into_iter().flatten());
            let wanted = Wanted { least: self.best, most, complete };
            let assembled = self.types.assemble(&self.met, wanted, self.search, &mut self.work)?;
            packing = assembled.packing;
            self.best = self.best.max(assembled.bound);
        }
        Ok(Found { bound: self.types.amount(self.best), packing, work: self.work })
    }
}

fn between(center: &[i64], outer: &[i64], stability: f64) -> Vec<i64> {
    let middle = |(&center, &outer): (&i64, &i64)| {
        (stability * center as f64 + (1.0 - stability) * outer as f64).round() as i64
    };
    center.iter().zip(outer).map(middle).collect()
}

/// Keeps the patterns that are worth most, each once.
fn keep_best(patterns: &mut Vec<Pattern>, excess: impl Fn(&Pattern) -> f64) {
    patterns.sort();
    patterns.dedup();
    patterns.sort_by(|one, other| excess(other).total_cmp(&excess(one)));
    patterns.truncate(MOST_NEW);
}
