//! Whole numbers that are not too large to be added up.

use crate::refusal::Refusal;

/// What single worths stay below, so that the sums over one part of a solution cannot leave 128 bits.
const LARGEST: i128 = 1 << 100;

/// The product of two numbers, if it is a worth.
pub fn product(one: i128, other: i128) -> Result<i128, Refusal> {
    small(one.checked_mul(other))
}

/// The sum of two numbers, if it is a worth.
pub fn sum(one: i128, other: i128) -> Result<i128, Refusal> {
    small(one.checked_add(other))
}

fn small(number: Option<i128>) -> Result<i128, Refusal> {
    number.filter(|number| number.abs() < LARGEST).ok_or_else(too_large)
}

/// Adds a product to a total, which may use all 128 bits.
pub fn add(total: &mut i128, one: i128, other: i128) -> Result<(), Refusal> {
    let product = one.checked_mul(other);
    *total = product.and_then(|product| total.checked_add(product)).ok_or_else(too_large)?;
    Ok(())
}

fn too_large() -> Refusal {
    Refusal::of("its numbers, times the amounts of the instance, are too large to be added up in 128 bits.")
}
