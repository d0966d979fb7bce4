//! Medians, means, percentiles and worst values, of numbers and of intervals.

use super::interval::Interval;
use statrs::statistics::{Data, OrderStatistics, Statistics};

/// What percentiles are, for readers.
pub(super) const PERCENTILE_DEFINITION: &str = "Percentiles interpolate between neighbouring values so that they are \
    median-unbiased (definition 8 of Hyndman and Fan, 1996); the median of an even number of values is the mean of the \
    middle two.";

/// Added to each run time before the geometric mean is taken and subtracted from it after, so that runs of microseconds
/// do not outweigh those that one waits for.
pub(super) const SHIFT_SECONDS: f64 = 0.01;

/// Statistics of some numbers of which large ones are bad. All of them grow with every single number, so that applied to
/// the lower and to the upper ends of intervals they enclose the true statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread<T> {
    /// The median.
    pub median: T,
    /// The arithmetic mean.
    pub mean: T,
    /// The 90th percentile.
    pub percentile_90: T,
    /// The greatest.
    pub worst: T,
}

impl Spread<f64> {
    /// The statistics of some numbers; none of no numbers. Infinite ones are admitted.
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        if numbers.is_empty() {
            return None;
        }
        // Sums round differently in another order.
        numbers.sort_by(f64::total_cmp);
        let finite = |number: f64| if number.is_finite() { number } else { f64::INFINITY };
        let mean = finite(Statistics::mean(&numbers));
        let mut data = Data::new(numbers);
        let worst = data.order_statistic(data.len());
        Some(Spread {
            median: finite(data.median()),
            // Rounding must not carry either beyond the greatest number.
            mean: mean.min(worst),
            percentile_90: finite(data.percentile(90)).min(worst),
            worst,
        })
    }
}

impl Spread<Interval> {
    /// The statistics of the lower ends and of the upper ends.
    pub fn of_intervals(intervals: &[Interval]) -> Option<Self> {
        let low = Spread::of(intervals.iter().map(|interval| interval.low).collect())?;
        let high = Spread::of(intervals.iter().map(|interval| interval.high).collect())?;
        Some(Spread {
            median: Interval { low: low.median, high: high.median },
            mean: Interval { low: low.mean, high: high.mean },
            percentile_90: Interval { low: low.percentile_90, high: high.percentile_90 },
            worst: Interval { low: low.worst, high: high.worst },
        })
    }
}

impl<T> Spread<T> {
    /// The four statistics in the order of [`STATISTICS`].
    pub fn values(self) -> [T; 4] {
        [self.median, self.mean, self.percentile_90, self.worst]
    }
}

/// Names of the statistics.
pub(super) const STATISTICS: [&str; 4] = ["median", "mean", "90th percentile", "worst"];

/// The quartiles of some numbers, and their ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quartiles {
    /// The least.
    pub least: f64,
    /// A quarter are no greater.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// Three quarters are no greater.
    pub upper: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Quartiles {
    /// The quartiles of some numbers; none of no numbers.
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let (least, greatest) = (*numbers.first()?, *numbers.last()?);
        let mut data = Data::new(numbers);
        // Rounding must not carry any of them beyond the ends.
        let [lower, median, upper] = [data.lower_quartile(), data.median(), data.upper_quartile()]
            .map(|number| number.clamp(least, greatest));
        Some(Quartiles { least, lower, median, upper, greatest })
    }

    /// The five numbers from the least to the greatest.
    pub fn values(self) -> [f64; 5] {
        [self.least, self.lower, self.median, self.upper, self.greatest]
    }
}

/// The geometric mean of times, shifted by [`SHIFT_SECONDS`]; none of no times.
pub(super) fn shifted_geometric_mean(mut seconds: Vec<f64>) -> Option<f64> {
    if seconds.is_empty() {
        return None;
    }
    seconds.sort_by(f64::total_cmp);
    let shifted = seconds.iter().map(|time| time + SHIFT_SECONDS);
    Some((Statistics::geometric_mean(shifted) - SHIFT_SECONDS).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_known_numbers() {
        let spread = Spread::of(vec![4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((spread.median, spread.mean, spread.worst), (2.5, 2.5, 4.0));
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        // (10 + 1/3) * 0.9 + 1/3 = 9.6333: between the ninth and the tenth.
        assert!((Spread::of(ten).unwrap().percentile_90 - 9.633_333_333).abs() < 1e-9);
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn quartiles_of_known_numbers() {
        let quartiles = Quartiles::of((1..=7).map(f64::from).collect()).unwrap();
        // (7 + 1/3) / 4 + 1/3 = 2.1667.
        assert!((quartiles.lower - 13.0 / 6.0).abs() < 1e-9 && (quartiles.upper - 35.0 / 6.0).abs() < 1e-9);
        assert_eq!((quartiles.least, quartiles.median, quartiles.greatest), (1.0, 4.0, 7.0));
        assert_eq!(Quartiles::of(vec![2.0]).unwrap().values(), [2.0; 5]);
        assert_eq!(Quartiles::of(Vec::new()), None);
    }

    #[test]
    fn infinite_ends_stay_infinite() {
        let spread = Spread::of(vec![1.0, f64::INFINITY, f64::INFINITY]).unwrap();
        assert_eq!(spread.values(), [f64::INFINITY; 4]);
        let mostly_known = Spread::of(vec![1.0, 2.0, f64::INFINITY]).unwrap();
        assert_eq!((mostly_known.median, mostly_known.mean), (2.0, f64::INFINITY));
    }

    #[test]
    fn one_number_is_all_its_statistics() {
        assert_eq!(Spread::of(vec![0.1]).unwrap().values(), [0.1; 4]);
    }

    #[test]
    fn the_shift_tames_short_times() {
        let mean = shifted_geometric_mean(vec![0.0, 0.99]).unwrap();
        assert!((mean - 0.09).abs() < 1e-12, "sqrt(0.01 * 1) - 0.01, not {mean}");
        assert_eq!(shifted_geometric_mean(Vec::new()), None);
    }
}
