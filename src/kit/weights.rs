//! When weights that are added up in doubles stay exact.

use ground::Amount;

/// Largest sum of weights, in units, that a dual bound in doubles still tells apart by one unit.
const LARGEST_TOTAL: i128 = 1 << 36;
/// Largest single weight, in units: times the solver's feasibility tolerance of 1e-7 it stays well below one unit.
const LARGEST_WEIGHT: i128 = 1 << 21;

/// Why the objective cannot be written exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the weights are whole multiples of {unit}, of which the largest has {largest} and all together have {total}: more than \
     solver tolerances tell apart exactly ({LARGEST_WEIGHT} and {LARGEST_TOTAL}). {advice}"
)]
pub struct WeightsTooFine {
    /// Sum of all weights in units.
    pub total: i128,
    /// Largest weight in units.
    pub largest: i128,
    /// The greatest common unit.
    pub unit: Amount,
    /// What to do about it.
    pub advice: &'static str,
}

/// The unit in which a weighted sum is written: the greatest of which all weights are whole multiples. `total` is the most
/// that the weights can add up to, itself a multiple of the unit; `advice` tells what to do if that is too much.
///
/// # Errors
/// When one unit would be lost in the tolerances of a solver.
pub fn exact_unit(weights: &[Amount], total: Amount, advice: &'static str) -> Result<Amount, WeightsTooFine> {
    let unit = Amount::greatest_common_unit(weights.iter().copied());
    let in_units = |amount: Amount| amount.in_units_of(unit).expect("a common unit");
    let largest = weights.iter().max().copied().unwrap_or_default();
    let (total, largest) = (in_units(total), in_units(largest));
    if total > LARGEST_TOTAL || largest > LARGEST_WEIGHT {
        return Err(WeightsTooFine { total, largest, unit, advice });
    }
    Ok(unit)
}
