//! An axis of seconds: linear, or logarithmic where most happens at its beginning.

use crate::page::numbers;
use itertools::Itertools;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Times below a millisecond are not told apart on a logarithmic axis.
const SHORTEST_SECONDS: f64 = 1e-3;
/// The axis is logarithmic if the last moment is so many times the first one, and so many times the one in the middle.
const FAR: f64 = 100.0;
const LATE: f64 = 10.0;
/// Marks of a linear axis, at most.
const MARKS: f64 = 6.0;

/// Seconds from left to right.
#[derive(Clone)]
pub(super) struct TimeAxis {
    first: f64,
    last: f64,
    logarithmic: bool,
}

impl TimeAxis {
    /// An axis around some moments.
    pub fn around(moments: impl Iterator<Item = f64>) -> Self {
        let moments: Vec<f64> = moments.sorted_by(f64::total_cmp).collect();
        let first = moments.first().copied().unwrap_or_default();
        let last = moments.last().copied().unwrap_or_default();
        let middle = moments.get(moments.len() / 2).copied().unwrap_or_default();
        let begin = first.max(SHORTEST_SECONDS);
        if last >= FAR * begin && last >= LATE * middle {
            return TimeAxis { first: begin, last, logarithmic: true };
        }
        // What begins early begins at 0.
        let first = if first < last / 4.0 { 0.0 } else { first };
        let last = if last > first { last } else { first + SHORTEST_SECONDS };
        TimeAxis { first, last, logarithmic: false }
    }

    /// Its name.
    pub fn title(&self) -> &'static str {
        if self.logarithmic { "time, logarithmic" } else { "seconds" }
    }

    /// How far along the axis a moment is, from 0 to 1.
    fn place(&self, seconds: f64) -> f64 {
        let seconds = seconds.clamp(self.first, self.last);
        if self.logarithmic {
            (seconds / self.first).log10() / (self.last / self.first).log10()
        } else {
            (seconds - self.first) / (self.last - self.first)
        }
    }
}

impl Ranged for TimeAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, seconds: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (f64::from(limit.1 - limit.0) * self.place(*seconds)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        if self.logarithmic {
            let exponents = self.first.log10().ceil() as i32..=self.last.log10().floor() as i32;
            return exponents.map(|exponent| 10f64.powi(exponent)).collect();
        }
        let step = step(self.last - self.first);
        // What rounding adds or takes makes no mark disappear.
        let marks = (self.first / step - 1e-6).ceil() as u64..=(self.last / step + 1e-6).floor() as u64;
        marks.map(|mark| mark as f64 * step).collect()
    }

    fn range(&self) -> Range<f64> {
        self.first..self.last
    }
}

impl ValueFormatter<f64> for TimeAxis {
    fn format_ext(&self, seconds: &f64) -> String {
        if self.logarithmic {
            return power_of_ten(*seconds);
        }
        let text = numbers::decimal(*seconds);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that divides a length into few enough parts.
fn step(length: f64) -> f64 {
    let power = 10f64.powf((length / MARKS).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| length / step <= MARKS).unwrap_or(10.0 * power)
}

/// A power of ten of seconds as a time for readers.
pub(crate) fn power_of_ten(seconds: f64) -> String {
    let (number, unit) = match seconds {
        _ if seconds >= 0.999 => (seconds, "s"),
        _ if seconds >= 0.000_999 => (1e3 * seconds, "ms"),
        _ => (1e6 * seconds, "µs"),
    };
    format!("{} {unit}", numbers::decimal((100.0 * number).round() / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::coord::ranged1d::BoldPoints;

    fn around(moments: &[f64]) -> TimeAxis {
        TimeAxis::around(moments.iter().copied())
    }

    fn marks(axis: &TimeAxis) -> Vec<String> {
        axis.key_points(BoldPoints(10)).into_iter().map(|mark| axis.format_ext(&mark)).collect()
    }

    #[test]
    fn short_searches_have_a_linear_axis_from_0() {
        let axis = around(&[0.2, 5.0, 11.0]);
        assert_eq!(marks(&axis), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            [axis.map(&0.0, (100, 210)), axis.map(&11.0, (100, 210)), axis.map(&5.5, (100, 210))],
            [100, 210, 155]
        );
        // An objective that is solved after others.
        assert_eq!(marks(&around(&[20.0, 20.4])), ["20", "20.1", "20.2", "20.3", "20.4"]);
        assert_eq!(around(&[3.0]).map(&3.0, (0, 10)), 0);
    }

    #[test]
    fn what_happens_at_the_beginning_has_room_on_a_logarithmic_axis() {
        let axis = around(&[0.000_1, 0.02, 60.0]);
        assert_eq!(marks(&axis), ["1 ms", "10 ms", "100 ms", "1 s", "10 s"]);
        assert_eq!(axis.map(&0.0, (0, 100)), 0, "nothing is left of the axis");
    }
}
