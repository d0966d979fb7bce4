//! An axis of names.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Names side by side: that of rank 0 has its middle at 0, and all are one apart.
#[derive(Clone)]
pub(super) struct Categories {
    /// How many there are.
    pub count: usize,
    /// Whether the first one comes last, as an axis that goes up has to have it for the first to be on top.
    pub reversed: bool,
}

impl Ranged for Categories {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, limit: (i32, i32)) -> i32 {
        let share = (place + 0.5) / self.count.max(1) as f64;
        let share = if self.reversed { 1.0 - share } else { share };
        limit.0 + (f64::from(limit.1 - limit.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        (0..self.count).map(|rank| rank as f64).collect()
    }

    fn range(&self) -> Range<f64> {
        -0.5..self.count as f64 - 0.5
    }
}

impl ValueFormatter<f64> for Categories {
    fn format(place: &f64) -> String {
        place.to_string()
    }
}
