//! Quantities that are known exactly or between two ends.

use super::numbers::decimal;

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

    /// The interval for readers, in a unit if it has one: one number if both ends read alike.
    pub fn words(self, unit: &str) -> String {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        if self.low == f64::INFINITY {
            return "unknown".to_owned();
        }
        let (low, high) = (decimal(self.low), decimal(self.high));
        if self.high == f64::INFINITY {
            format!("at least {low}{unit}")
        } else if low == high {
            format!("{low}{unit}")
        } else {
            format!("{low} to {high}{unit}")
        }
    }

    /// An interval of shares as percentages.
    pub fn percent(self) -> String {
        Interval { low: 100.0 * self.low, high: 100.0 * self.high }.words("%")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_read_as_one_number_if_both_ends_do() {
        let read = |low, high| Interval { low, high }.percent();
        assert_eq!(read(0.0012, 0.0012), "0.12 %");
        assert_eq!(read(0.001_201, 0.001_202), "0.12 %");
        assert_eq!(read(0.0012, 0.005), "0.12 to 0.50 %");
        assert_eq!(read(0.0012, f64::INFINITY), "at least 0.12 %");
        assert_eq!(read(0.0, 0.0), "0 %");
    }
}
