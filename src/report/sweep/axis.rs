//! An axis for gaps: linear near 0, logarithmic beyond.

use super::numbers;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Gaps beyond this are not drawn: 1,000 %.
const LARGEST_GAP: f64 = 10.0;
/// The axis goes up to 1 % at least, even if all gaps are smaller or 0.
const SMALLEST_SCALE: f64 = 0.01;

/// Gaps from 0 on, linear up to the first mark and logarithmic beyond: an optimum has a place of its own, and outliers do
/// not crowd the rest.
#[derive(Clone)]
pub(super) struct GapAxis {
    /// Power of ten of the first mark.
    first: i32,
    /// Power of ten of the last.
    last: i32,
}

impl GapAxis {
    /// An axis for gaps of which the largest is given.
    pub fn up_to(largest: f64) -> Self {
        let last = largest.clamp(SMALLEST_SCALE, LARGEST_GAP).log10().ceil() as i32;
        GapAxis { first: (last - 4).min(-4), last }
    }

    /// The last gap on it.
    pub fn last(&self) -> f64 {
        power_of_ten(self.last)
    }

    /// How far along the axis a gap is, from 0 to 1: the linear part is as long as a power of ten.
    fn place(&self, gap: f64) -> f64 {
        let first = power_of_ten(self.first);
        let decades = if gap <= first { gap / first } else { 1.0 + (gap / first).log10() };
        decades / f64::from(1 + self.last - self.first)
    }
}

/// Negative powers by division, as these come out as the nearest doubles.
fn power_of_ten(exponent: i32) -> f64 {
    if exponent < 0 { 1.0 / 10f64.powi(-exponent) } else { 10f64.powi(exponent) }
}

impl Ranged for GapAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, gap: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (f64::from(limit.1 - limit.0) * self.place(*gap)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        [0.0].into_iter().chain((self.first..=self.last).map(power_of_ten)).collect()
    }

    fn range(&self) -> Range<f64> {
        0.0..self.last()
    }
}

impl ValueFormatter<f64> for GapAxis {
    fn format(gap: &f64) -> String {
        // All marks are powers of ten: digits behind the first only fill.
        let text = numbers::decimal(100.0 * gap);
        if text.contains('.') { text.trim_end_matches('0').to_owned() } else { text }
    }
}
