//! Prices for others who want to prove a bound by themselves.

use super::activities::activities;
use super::effort::{Counters, Limits};
use super::outer::Outer;
use super::part::Part;
use super::pool::Pool;
use super::pricing::{Pricing, Shared, Thoroughness};
use super::selection::{Listed, Selection};
use super::total::{Bounds, Total};
use milp::StopReason;
use solver::{Settings, Solver};

/// What is to be proved: that nothing costs less than what is known.
pub struct Inquiry<'i, C> {
    /// The totals that parts share.
    pub totals: &'i [Total],
    /// Contents that are good to begin with.
    pub start: Vec<(usize, C)>,
    /// The cost than which nothing is to be less.
    pub known: i64,
    /// What a price of a total is at first, at most.
    pub confines: f64,
}

/// The prices that prove most.
#[derive(Clone, Debug)]
pub struct Proof {
    /// By total, in units of 1/[`ONE`](super::ONE).
    pub prices: Vec<i64>,
    /// The totals in the linear program of the contents met, where that has a solution.
    pub activities: Option<Vec<f64>>,
}

/// Looks for prices that prove that no contents of the parts with which all totals keep their bounds cost less than what is known, as far as
/// that goes. None if the search is stopped at once.
///
/// # Errors
/// When the solver fails.
pub fn prove<P: Part>(
    parts: &mut [P],
    inquiry: Inquiry<'_, P::Content>,
    solver: &dyn Solver,
    settings: &Settings,
    limits: &Limits<'_>,
) -> Result<Option<Proof>, String> {
    let Inquiry { totals, start, known, confines } = inquiry;
    let numbers: Vec<u32> = parts.iter().map(Part::number).collect();
    let mut pool = Pool::new(parts, start);
    let bounds = Bounds::of(totals);
    let mut outer = Outer::new(totals, &bounds, &numbers, confines, solver, settings)?;
    let mut counters = Counters::default();
    let mut shared = Shared {
        totals,
        parts,
        numbers: &numbers,
        pool: &mut pool,
        counters: &mut counters,
        limits,
        most_asked: u64::MAX,
    };
    let thoroughness = Thoroughness::Full;
    let mut pricing =
        Pricing { shared: &mut shared, bounds: &bounds, numbers: &numbers, known, thoroughness };
    let (proved, stop) = pricing.run(&mut outer, None);
    if let Some(StopReason::SolverError(words)) = stop {
        return Err(words);
    }
    let Some(proved) = proved else { return Ok(None) };
    let listed: Vec<Listed<'_>> = pool.entries.iter().map(Listed::from).collect();
    let met = Selection { totals, bounds: &bounds, numbers: &numbers, listed: &listed };
    let activities = activities(&met, known, solver, settings, limits);
    Ok(Some(Proof { prices: proved.prices, activities }))
}
