//! Quantities that are known exactly or between two ends.

/// All that is known of a quantity: it is at least `low` and at most `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// The quantity against the best solution known.
    pub low: f64,
    /// The quantity against the proved bound; infinite where nothing is proved.
    pub high: f64,
}

impl Interval {
    /// A quantity that is known.
    pub fn exact(value: f64) -> Self {
        Interval { low: value, high: value }
    }

    /// The number by which intervals are sorted: what the quantity may be at worst, or at best where that is unlimited.
    pub fn sort_key(self) -> f64 {
        if self.high.is_finite() { self.high } else { self.low }
    }
}
