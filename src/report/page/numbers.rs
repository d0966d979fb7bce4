//! Numbers for readers.

pub(crate) use ground::counted;
use ground::grouped;

/// Beyond this, digits tell nothing any more.
const LARGEST: f64 = 1e9;
/// Below this, a number is what rounding left of 0.
const NOISE: f64 = 1e-11;

/// The digits of a number: two after the point, more only where a small number needs them to show at all, none where the
/// number is whole.
pub(crate) fn decimal(number: f64) -> String {
    let size = number.abs();
    if size >= LARGEST {
        return format!("{number:.1e}");
    }
    if size < NOISE {
        return "0".to_owned();
    }
    let places = match size {
        _ if number.fract() == 0.0 || size >= 1000.0 => 0,
        _ if size >= 0.095 => 2,
        // Two significant digits.
        _ => (1.0 - size.log10().floor()) as usize,
    };
    grouped(&format!("{number:.places$}"))
}

/// A number with so many digits after the point.
pub(crate) fn fixed(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    // What rounds to nothing has no sign.
    let is_nothing = !text.contains(|symbol: char| symbol.is_ascii_digit() && symbol != '0');
    grouped(if is_nothing { text.trim_start_matches('-') } else { &text })
}

/// Part of a whole in percent with two digits after the point; nothing of nothing. Only what is all reads as all, and only
/// nothing as nothing.
pub(crate) fn percent(part: usize, whole_number: usize) -> Option<(f64, String)> {
    if whole_number == 0 {
        return None;
    }
    let percent = 100.0 * part as f64 / whole_number as f64;
    let shown = if part == 0 || part == whole_number { percent } else { percent.clamp(0.01, 99.99) };
    Some((percent, fixed(shown, 2)))
}

/// A difference: with a plus if it is positive.
pub(crate) fn difference(number: f64) -> String {
    let plus = if number >= NOISE { "+" } else { "" };
    format!("{plus}{}", decimal(number))
}

/// A whole number.
pub(crate) fn whole(number: usize) -> String {
    grouped(&number.to_string())
}

/// Part of a whole as a percentage with both counts; nothing of nothing.
pub(crate) fn share(part: usize, whole_number: usize) -> String {
    if whole_number == 0 {
        return "none".to_owned();
    }
    let share = 100.0 * part as f64 / whole_number as f64;
    // Only what is all may read as all, and only nothing as nothing.
    let share = if part == 0 || part == whole_number { share } else { share.clamp(0.1, 99.9) };
    format!("{share:.1} % ({} of {})", whole(part), whole(whole_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (number, text) in [
            (0.0, "0"),
            (0.12, "0.12"),
            (0.5, "0.50"),
            (3.0, "3"),
            (-2.5, "-2.50"),
            (0.003_46, "0.0035"),
            (1234.56, "1,235"),
            (1_234_567.0, "1,234,567"),
            (1.999, "2.00"),
            (-1e-17, "0"),
            (3e12, "3.0e12"),
        ] {
            assert_eq!(decimal(number), text);
        }
    }

    #[test]
    fn fixed_digits_and_percentages() {
        assert_eq!([fixed(-0.04, 1), fixed(-1234.56, 1), fixed(0.6, 1)], ["0.0", "-1,234.6", "0.6"]);
        assert_eq!(percent(99_999, 100_000).unwrap().1, "99.99");
        assert_eq!(percent(1, 100_000).unwrap(), (0.001, "0.01".to_owned()));
        assert_eq!((percent(3, 3).unwrap().1, percent(0, 0)), ("100.00".to_owned(), None));
    }

    #[test]
    fn shares_do_not_round_up_to_all() {
        assert_eq!(share(9_999, 10_000), "99.9 % (9,999 of 10,000)");
        assert_eq!(share(3, 3), "100.0 % (3 of 3)");
        assert_eq!(share(0, 0), "none");
    }
}
