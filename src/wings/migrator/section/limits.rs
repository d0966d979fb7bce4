//! How large the numbers of an instance may be.

use ground::Amount;

/// Slots of a window are at most this many.
pub const LARGEST_WINDOW: i128 = 100_000;

/// Rates, requests of a slot and seconds are smaller than this, so that products stay exact.
pub const LARGEST_NUMBER: i128 = 10_000_000;

/// The rule that a rate, a number of requests or of seconds breaks, and how to fix it.
pub fn rule_broken(amount: Amount) -> Option<&'static str> {
    if amount.is_negative() {
        Some("must not be negative. Use 0 or more")
    } else if amount >= Amount::whole(LARGEST_NUMBER) {
        Some("must be below 10^7. Check its unit")
    } else {
        None
    }
}

/// Words for a series that is shorter or longer than the window; `what` has the numbers.
pub fn wrong_length(what: &str, numbers: usize, slots: i128, basis: Amount) -> String {
    let numbers = if numbers == 1 { "1 number".to_owned() } else { format!("{numbers} numbers") };
    format!(
        "{what} has {numbers}, but the window has {slots} slots of {basis} s. Give one number per slot, or change \
         `window_seconds` or `basis_seconds`."
    )
}
