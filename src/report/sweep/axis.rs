//! An axis for gaps: linear near 0, logarithmic beyond.

use super::numbers;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Gaps beyond this are not drawn: 1,000 %.
const LARGEST_GAP: f64 = 10.0;

/// Gaps from 0 on, at `log(1 + gap / linear)`: an optimum has a place of its own, and outliers do not crowd the rest.
#[derive(Clone)]
pub(super) struct GapAxis {
    /// Where the scale turns from linear to logarithmic, and the first mark.
    linear: f64,
    /// The last gap on it, a power of ten.
    last: f64,
}

impl GapAxis {
    /// An axis for gaps of which the largest is given.
    pub fn up_to(largest: f64) -> Self {
        let decade = largest.clamp(1e-6, LARGEST_GAP).log10().ceil() as i32;
        GapAxis { linear: 10f64.powi((decade - 4).min(-4)), last: 10f64.powi(decade) }
    }

    /// The last gap on it.
    pub fn last(&self) -> f64 {
        self.last
    }

    fn place(&self, gap: f64) -> f64 {
        (gap / self.linear).ln_1p() / (self.last / self.linear).ln_1p()
    }
}

impl Ranged for GapAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, gap: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (f64::from(limit.1 - limit.0) * self.place(*gap)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let decades = (self.last / self.linear).log10().round() as i32;
        // 0 and a mark at each power of ten.
        let powers = (0..=decades).map(|decade| self.last / 10f64.powi(decades - decade));
        [0.0].into_iter().chain(powers).collect()
    }

    fn range(&self) -> Range<f64> {
        0.0..self.last
    }
}

impl ValueFormatter<f64> for GapAxis {
    fn format(gap: &f64) -> String {
        numbers::decimal(100.0 * gap)
    }
}
