//! Points in time of a trace.

use ground::Amount;

/// A point in time of a trace, or a span of it, in microseconds from the trace's own origin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Moment(pub u64);

impl Moment {
    /// Microseconds in a second.
    pub const SECOND: u64 = 1_000_000;

    /// The latest moment that a trace may hold: 10^12 seconds.
    pub const LATEST: Moment = Moment(1_000_000_000_000 * Moment::SECOND);

    /// The moment that many seconds after the origin; `None` before the origin or beyond what a trace may hold (10^12 seconds).
    pub fn of_seconds(seconds: Amount) -> Option<Moment> {
        let microseconds = seconds.millionths();
        (0..=i128::from(Moment::LATEST.0)).contains(&microseconds).then_some(Moment(microseconds as u64))
    }

    /// Seconds from the origin.
    pub fn seconds(self) -> Amount {
        Amount::from_millionths(i128::from(self.0))
    }
}
