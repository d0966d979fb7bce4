//! What a scalar means: nothing, a truth value, a number or a text.

use super::tag::Tag;

/// The key whose value's fields an entry repeats.
pub(super) const MERGE: &str = "<<";

/// A scalar as it stands, without its quotes and with its escapes replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar<'t> {
    pub text: &'t str,
    /// Whether it is neither in quotes nor a block: only then can it look like something else than a text.
    pub is_plain: bool,
    pub tag: &'t Tag,
}

/// What a scalar is when its reader takes anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning<'t> {
    Nothing,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    /// A number, perhaps one that is not finite.
    Float(f64),
    Text(&'t str),
}

impl<'t> Scalar<'t> {
    /// Whether it stands for nothing.
    pub fn is_null(&self) -> bool {
        match self.tag {
            Tag::Null => true,
            tag => !tag.is_core() && !tag.forces_text() && self.looks_null(),
        }
    }

    /// Whether it is nothing, `~` or `null` without quotes.
    pub fn looks_null(&self) -> bool {
        self.is_plain && (matches!(self.text, "" | "~") || self.text.eq_ignore_ascii_case("null"))
    }

    /// Whether its tag lets it be read as this type.
    pub fn may_be(&self, core: &Tag) -> bool {
        !self.tag.is_core() || self.tag == core
    }

    /// What it is when its reader takes anything; `None` where its tag says what it is not.
    pub fn meaning(&self) -> Option<Meaning<'t>> {
        match self.tag {
            Tag::Null => Some(Meaning::Nothing),
            Tag::Bool => truth(self.text).map(Meaning::Bool),
            Tag::Int => whole(self.text),
            Tag::Float => any_float(self.text).map(Meaning::Float),
            _ if self.is_null() => Some(Meaning::Nothing),
            tag if !tag.allows_text() => None,
            tag if !self.is_plain || tag.forces_text() => Some(Meaning::Text(self.text)),
            _ => Some(plain(self.text)),
        }
    }
}

/// What a plain scalar looks like.
fn plain(text: &str) -> Meaning<'_> {
    // Most are names.
    let first = trim(text).bytes().next().unwrap_or(b' ');
    let is_like_a_number = first.is_ascii_digit() || b"+-.".contains(&first);
    let number = || whole(text).or_else(|| any_float(text).map(Meaning::Float));
    match truth(text) {
        Some(truth) => Meaning::Bool(truth),
        None if is_like_a_number => number().unwrap_or(Meaning::Text(text)),
        None => Meaning::Text(text),
    }
}

fn whole(text: &str) -> Option<Meaning<'_>> {
    if trim(text).starts_with('-') {
        signed(text).map(Meaning::Signed)
    } else {
        unsigned(text).map(Meaning::Unsigned)
    }
}

/// Without what may stand around a number in quotes.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

/// A truth value, in any of the spellings that YAML has had.
pub(super) fn truth(text: &str) -> Option<bool> {
    let text = trim(text);
    let is = |spellings: [&str; 4]| spellings.iter().any(|spelling| text.eq_ignore_ascii_case(spelling));
    if text.len() > 5 {
        None
    } else if is(["true", "yes", "y", "on"]) {
        Some(true)
    } else {
        is(["false", "no", "n", "off"]).then_some(false)
    }
}

/// A whole number of a signed type.
pub(super) fn signed<T: TryFrom<i128>>(text: &str) -> Option<T> {
    let (is_negative, magnitude) = sign_and_magnitude(text)?;
    // Its magnitude is one more than that of the greatest number.
    let least = magnitude == i128::MIN.unsigned_abs() && is_negative;
    let magnitude = if least { i128::MIN } else { i128::try_from(magnitude).ok()? };
    T::try_from(if is_negative && !least { -magnitude } else { magnitude }).ok()
}

/// A whole number of an unsigned type.
pub(super) fn unsigned<T: TryFrom<u128>>(text: &str) -> Option<T> {
    match sign_and_magnitude(text)? {
        (false, magnitude) => T::try_from(magnitude).ok(),
        (true, _) => None,
    }
}

/// A whole number: decimal without leading zeros, or behind `0x`, `0o` or `0b`; single underscores between digits.
pub(super) fn sign_and_magnitude(text: &str) -> Option<(bool, u128)> {
    let text = trim(text);
    let (is_negative, rest) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let prefixes = [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)];
    let prefixed = prefixes.iter().find_map(|&(prefix, base)| Some((rest.strip_prefix(prefix)?, base)));
    let (digits, base) = prefixed.unwrap_or((rest, 10));
    if base == 10 && digits.starts_with('0') && digits != "0" {
        return None;
    }
    let mut magnitude: u128 = 0;
    let mut is_behind_digit = false;
    for character in digits.chars() {
        if character == '_' {
            if !is_behind_digit {
                return None;
            }
            is_behind_digit = false;
            continue;
        }
        let digit = character.to_digit(base)?;
        magnitude = magnitude.checked_mul(u128::from(base))?.checked_add(u128::from(digit))?;
        is_behind_digit = true;
    }
    is_behind_digit.then_some((is_negative, magnitude))
}

/// A decimal number, or one of the spellings of infinity and of what is not a number. `None` also beyond doubles.
pub(super) fn float(text: &str) -> Option<f64> {
    let text = trim(text);
    let (is_negative, unsigned) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    if unsigned.eq_ignore_ascii_case(".nan") {
        return Some(f64::NAN);
    }
    if unsigned.eq_ignore_ascii_case(".inf") {
        return Some(if is_negative { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A decimal number; infinite beyond doubles.
fn any_float(text: &str) -> Option<f64> {
    let unsigned = trim(text);
    let unsigned = unsigned.strip_prefix(['+', '-']).unwrap_or(unsigned);
    let begins_with_digit = unsigned.starts_with(|first: char| first.is_ascii_digit());
    float(text).or_else(|| trim(text).parse().ok().filter(|_| begins_with_digit))
}
