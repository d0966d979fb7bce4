//! Spans of time as they are written on the command line.

use super::Amount;

/// Seconds in each unit of a duration.
const UNITS: &[(char, i128)] = &[('s', 1), ('m', 60), ('h', 3600), ('d', 86400)];

/// Longest duration, in microseconds: 10^12 seconds.
const LONGEST: i128 = 1_000_000_000_000_000_000;

/// The microseconds of a duration such as `90s`, `15m`, `1.5h` or `1d`; `None` if it is none, or longer than 10^12 seconds.
pub fn duration_microseconds(text: &str) -> Option<u64> {
    let unit = text.chars().next_back()?;
    let &(_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number: Amount = text[..text.len() - unit.len_utf8()].parse().ok()?;
    let microseconds = (number * seconds).millionths();
    (0..=LONGEST).contains(&microseconds).then_some(microseconds as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact() {
        let known = [
            ("90s", Some(90_000_000)),
            ("15m", Some(900_000_000)),
            ("24h", Some(86_400_000_000)),
            ("1d", Some(86_400_000_000)),
            ("1.5h", Some(5_400_000_000)),
            ("0.000001s", Some(1)),
            ("0s", Some(0)),
        ];
        let wrong = ["", "h", "24", "1w", "-1s", "1 h", "day", "1e3s", "0.0000001s", "1000000000001s", "5ä"];
        for (text, microseconds) in known.into_iter().chain(wrong.map(|text| (text, None))) {
            assert_eq!(duration_microseconds(text), microseconds, "{text}");
        }
    }
}
