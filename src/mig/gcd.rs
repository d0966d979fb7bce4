//! The greatest common divisor.

/// The greatest common divisor; that of 0 and a number is the number.
pub(crate) fn gcd(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}
