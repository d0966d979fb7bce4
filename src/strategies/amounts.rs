//! Numbers of instance files.

use ground::Amount;
use proptest::prelude::*;
use proptest::sample::select;

/// A decimal number, as it stands in the code.
pub(super) fn decimal(text: &str) -> Amount {
    text.parse().expect("a decimal number")
}

/// So many halves.
pub(super) fn halves(number: u32) -> Amount {
    Amount::from_millionths(500_000 * i128::from(number))
}

/// Whole numbers below `end`, now and then a half more.
pub(super) fn costs(end: u32) -> impl Strategy<Value = Amount> + Clone {
    prop_oneof![4 => (0..end).prop_map(|whole| halves(2 * whole)), 1 => (0..2 * end).prop_map(halves)]
}

/// Weights that are mostly left out.
pub(super) fn weights() -> impl Strategy<Value = Option<Amount>> + Clone {
    let given = select(vec!["2", "3", "0.5", "0.3", "0"]).prop_map(decimal);
    proptest::option::weighted(0.4, given)
}
