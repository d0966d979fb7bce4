//! Prices as whole numbers.

/// What a unit of cost is in prices.
pub const PRICE_OF_ONE: i64 = 1 << 20;

/// A price, or a sum of prices, in units of the costs.
pub fn in_units(price: i64) -> f64 {
    price as f64 / PRICE_OF_ONE as f64
}
