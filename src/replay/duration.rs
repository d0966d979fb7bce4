//! Spans of time as people write them.

use ground::{Amount, duration_microseconds};

/// The longest span, in seconds.
const LONGEST: u64 = 1_000_000_000;

/// The seconds of `90s`, `15m`, `1h`, `1d`, or of a plain number of seconds: a whole number from 1 to 10^9.
///
/// # Errors
/// In words that say what to give instead.
pub fn seconds_of_duration(text: &str) -> Result<u64, String> {
    let refuse = |rule: &str| {
        format!("{rule}; give a duration such as 90s, 15m, 1h, 1.5h or 1d, or a number of seconds")
    };
    let plain = || text.parse::<Amount>().ok().map(Amount::millionths);
    let microseconds = duration_microseconds(text).map(i128::from).or_else(plain);
    let seconds = Amount::from_millionths(microseconds.ok_or_else(|| refuse("this is not a duration"))?);
    match seconds.in_units_of(Amount::ONE) {
        None => Err(refuse("it must be a whole number of seconds")),
        Some(..1) => Err(refuse("it must be longer than 0")),
        Some(seconds) => u64::try_from(seconds)
            .ok()
            .filter(|seconds| *seconds <= LONGEST)
            .ok_or_else(|| refuse("it must be at most 10^9 seconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_everyday_life() {
        for (text, seconds) in
            [("90s", 90), ("15m", 900), ("1h", 3600), ("1.5h", 5400), ("1d", 86_400), ("7", 7)]
        {
            assert_eq!(seconds_of_duration(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused_with_examples() {
        for (text, rule) in [
            ("", "not a duration"),
            ("h", "not a duration"),
            ("1hh", "not a duration"),
            ("1w", "not a duration"),
            ("1e3", "not a duration"),
            ("0", "longer than 0"),
            ("-1", "longer than 0"),
            ("0.5", "whole number of seconds"),
            ("20000d", "at most"),
            ("99999999999999999999999999999999999999", "not a duration"),
        ] {
            let message = seconds_of_duration(text).unwrap_err();
            assert!(message.contains(rule) && message.contains("15m"), "{text}: {message}");
        }
    }
}
