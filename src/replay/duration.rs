//! Spans of time as people write them.

use crate::cluster::Amount;

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
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let unit = units.into_iter().find(|(letter, _)| text.ends_with(*letter));
    let (number, seconds) = match unit {
        Some((letter, seconds)) => (text.strip_suffix(letter).unwrap_or(text), seconds),
        None => (text, 1),
    };
    let number: Amount = number.trim_end().parse().map_err(|_| refuse("this is no duration"))?;
    match (number * seconds).in_units_of(Amount::ONE) {
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
            [("90s", 90), ("15m", 900), ("1h", 3600), ("1.5h", 5400), ("1d", 86_400), ("7", 7), ("2 h", 7200)]
        {
            assert_eq!(seconds_of_duration(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused_with_examples() {
        for (text, rule) in [
            ("", "no duration"),
            ("h", "no duration"),
            ("1hh", "no duration"),
            ("1w", "no duration"),
            ("1e3", "no duration"),
            ("0", "longer than 0"),
            ("-1h", "longer than 0"),
            ("0.5", "whole number of seconds"),
            ("20000d", "at most"),
            ("99999999999999999999999999999999999999", "no duration"),
        ] {
            let message = seconds_of_duration(text).unwrap_err();
            assert!(message.contains(rule) && message.contains("15m"), "{text}: {message}");
        }
    }
}
