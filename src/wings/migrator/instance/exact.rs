//! Exact fractions.

use ground::Amount;
use num_rational::Ratio;

/// An exact fraction.
pub type Exact = Ratio<i128>;

/// Millionths in one.
const SCALE: i128 = 1_000_000;

/// The amount as a fraction.
pub fn exact(amount: Amount) -> Exact {
    Exact::new(amount.millionths(), SCALE)
}

/// The largest amount that is not above a fraction.
pub fn rounded_down(fraction: Exact) -> Amount {
    Amount::from_millionths((fraction * SCALE).floor().to_integer())
}

/// The smallest amount that is not below a fraction.
pub fn rounded_up(fraction: Exact) -> Amount {
    Amount::from_millionths((fraction * SCALE).ceil().to_integer())
}

/// The nearest double.
pub fn double(fraction: Exact) -> f64 {
    *fraction.numer() as f64 / *fraction.denom() as f64
}
