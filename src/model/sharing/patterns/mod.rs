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
mod filling;
mod greedy;
mod prices;
mod types;
mod valuable;

use super::bound::cheapest_cover;
use super::instance::Problem;
use super::packing::Packing;
use super::parts::ServerIndex;
use crate::cluster::Amount;
use crate::milp::Work;
use crate::solver::{Control, Settings, Solver};
use greedy::fill;
use prices::{PRICE_OF_ONE, Prices};
use std::collections::BTreeSet;
use std::time::Instant;
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

/// A set of virtual machines on a server of a kind: type of virtual machine and number, ascending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    /// Position in the pool's kinds of servers.
    kind: usize,
    /// Types and numbers.
    held: Vec<(usize, u32)>,
}

/// What is known in the end.
pub struct Found {
    /// No packing costs less, in units of the costs.
    pub bound: Amount,
    /// A packing cheaper than the known one.
    pub packing: Option<Packing>,
    /// The effort.
    pub work: Work,
}

/// How to search.
pub struct Search<'s> {
    /// The solver.
    pub solver: &'s dyn Solver,
    /// Its threads.
    pub threads: u32,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Interruption.
    pub control: &'s Control,
}

/// Bounds the cost of packing everybody on servers of the pool, and looks for a packing cheaper than the known one; `bound` is what
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
    let settings = Settings { threads: search.threads, seed: 0 };
    let of_known = types.patterns_of(known);
    let target = types.cost_of(&of_known);
    let mut met: BTreeSet<Pattern> = of_known.iter().cloned().chain(types.alone()).collect();
    let mut program = Prices::new(&types, search.solver, &settings)?;
    met.iter().for_each(|pattern| program.add(&types, pattern));
    let mut best = types.units(bound);
    let mut work = Work::default();
    let mut center: Option<Center> = None;
    let mut stability = STABILITY;
    for _ in 0..MOST_ROUNDS {
        if best >= target || search.control.is_interrupted() {
            break;
        }
        let Some(outer) = program.best(search.deadline, search.control, &mut work) else { break };
        // No prices prove more than the program of prices says.
        if (outer.value - TOLERANCE).ceil() <= best as f64 {
            break;
        }
        let middle = center.as_ref().filter(|_| stability >= LEAST_STABILITY);
        let chosen = match middle {
            Some(center) => between(&center.prices, &outer.prices, stability),
            None => outer.prices.clone(),
        };
        let is_new = |pattern: &Pattern| outer.excess(&types, pattern) > TOLERANCE && !met.contains(pattern);
        let mut new: Vec<Pattern> = Vec::new();
        for prices in [&chosen, &outer.prices] {
            new.extend(fill(&types, prices).into_iter().filter(is_new));
        }
        if new.is_empty() {
            let thresholds = types.thresholds(&chosen, &outer.limits(&types), best + 1);
            let mut worth = Vec::new();
            for (kind, threshold) in thresholds.into_iter().enumerate() {
                let effort = Effort { nodes: NODES_OF_PRICING, deadline: search.deadline };
                let most = most_valuable(&types, kind, &chosen, threshold, effort);
                work.nodes += most.nodes;
                new.extend(most.pattern.filter(is_new));
                worth.push(most.bound);
            }
            let worth: Option<Vec<i64>> = worth.into_iter().collect();
            let is_outer = middle.is_none();
            let proved = worth.map(|worth| (types.bound(&chosen, &worth), worth));
            let better =
                |fraction: f64| center.as_ref().is_none_or(|center| fraction > center.fraction + TOLERANCE);
            match proved {
                Some((proved, worth)) if better(proved.fraction) => {
                    best = best.max(proved.whole);
                    center = Some(Center { fraction: proved.fraction, prices: chosen, worth });
                    stability = STABILITY;
                }
                _ if !new.is_empty() => {}
                _ if is_outer => break,
                // The middle way led nowhere: nearer to the prices of the program.
                _ => stability /= 2.0,
            }
        }
        keep_best(&mut new, |pattern| outer.excess(&types, pattern));
        for pattern in new {
            program.add(&types, &pattern);
            met.insert(pattern);
        }
    }
    let mut packing = None;
    if best < target {
        let listed =
            center.and_then(|center| types.candidates(&center, target - 1, search.deadline, &mut work));
        let complete = listed.is_some();
        met.extend(listed.into_iter().flatten());
        let assembled = types.assemble(&met, best, target - 1, complete, search, &mut work)?;
        packing = assembled.packing;
        best = best.max(assembled.bound);
    }
    Ok(Found { bound: types.amount(best), packing, work })
}

/// The prices that prove most so far.
struct Center {
    /// What they prove, nearly, in units of the costs.
    fraction: f64,
    prices: Vec<i64>,
    /// What a server of each kind can host at most.
    worth: Vec<i64>,
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
