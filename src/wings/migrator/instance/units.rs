//! The unit in which goodput is counted, so that sums of it are sums of integers.

use super::exact::{Exact, exact};
use super::problem::{ModelIndex, Problem};
use super::rates::{capability, kept, outage_slots};
use crate::section::Reconfiguration;
use ground::Amount;
use num_integer::Integer;
use num_traits::CheckedMul;

/// Goodput of a whole window, in units, stays below this.
const LARGEST_GOODPUT: i128 = 1 << 60;

/// Why goodput has no unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the goodput of the window cannot be counted in whole numbers: the digits of accuracies, capabilities, requests and seconds, \
     multiplied, give more than 2^60 units. Round them to fewer digits after the point."
)]
pub struct TooFine;

impl Problem {
    /// Finds the unit in which goodput is counted under the readings.
    ///
    /// # Errors
    /// When the goodput of the window would have too many units.
    pub fn count_units(&mut self) -> Result<(), TooFine> {
        self.units = units(self)?;
        Ok(())
    }
}

/// Units in one request of goodput: a common denominator of accuracy times requests served, over all models, slots and
/// allocations.
///
/// # Errors
/// When the goodput of the window would have too many units.
fn units(problem: &Problem) -> Result<i64, TooFine> {
    let mut units: i128 = 1;
    for model in problem.model_indices() {
        units = checked_lcm(units, denominator(problem, model)?)?;
    }
    let received: i128 = problem.models.iter().flat_map(|tasks| &tasks.requests).map(whole).sum();
    let lost: i128 = match problem.readings.reconfiguration {
        Reconfiguration::Charge => problem.model_indices().map(|model| most_charged(problem, model)).sum(),
        _ => 0,
    };
    (received + lost)
        .checked_mul(units)
        .filter(|&goodput| goodput <= LARGEST_GOODPUT)
        .and_then(|_| i64::try_from(units).ok())
        .ok_or(TooFine)
}

/// The amount in whole numbers, rounded up.
fn whole(amount: &Amount) -> i128 {
    exact(*amount).ceil().to_integer()
}

/// The most requests that a model can owe at the end of the window.
fn most_charged(problem: &Problem, model: ModelIndex) -> i128 {
    let tasks = problem.model(model);
    let largest = tasks.capability.iter().map(whole).max().unwrap_or(0);
    let instances = i128::from(problem.gpu.board.compute());
    i128::from(problem.slots) * largest * instances * whole(&tasks.reconfiguration)
}

/// A common denominator of what a model can be worth in a slot.
fn denominator(problem: &Problem, model: ModelIndex) -> Result<i128, TooFine> {
    let tasks = problem.model(model);
    let mut served: i128 = 1;
    for requests in &tasks.requests {
        served = checked_lcm(served, *exact(*requests).denom())?;
    }
    let ages = outage_slots(problem, model);
    for allocation in problem.allocations(model) {
        let full = capability(problem, model, &allocation);
        for age in [0, ages.saturating_sub(1), ages] {
            let rate: Exact = full.checked_mul(&kept(problem, model, &allocation, age)).ok_or(TooFine)?;
            served = checked_lcm(served, *rate.denom())?;
        }
    }
    let accuracy = checked_lcm(*exact(tasks.before).denom(), *exact(tasks.after).denom())?;
    accuracy.checked_mul(served).filter(|&units| units < LARGEST_GOODPUT).ok_or(TooFine)
}

fn checked_lcm(one: i128, other: i128) -> Result<i128, TooFine> {
    let reduced = one / one.gcd(&other);
    reduced.checked_mul(other).filter(|&units| units < LARGEST_GOODPUT).ok_or(TooFine)
}
