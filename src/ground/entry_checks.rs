//! Rules that entries of all kinds obey: names, counts, ranges of numbers.

use super::{Amount, At, InputError, SourceText};
use std::fmt::Display;

/// More of anything than this is taken for a slip of the pen.
pub const LARGEST_COUNT: usize = 5_000_000;

/// Cores, GiB and costs are smaller than this, so that their sums are exact.
pub const LARGEST_AMOUNT: i128 = 1_000_000_000_000_000;

/// The first character that the name of a host, a GPU or a workload must not contain.
pub fn unfit_for_a_name(name: &str) -> Option<char> {
    let is_unfit = |c: &char| {
        matches!(c, '[' | ']' | ',' | '~' | '\'' | '"' | '`') || c.is_whitespace() || c.is_control()
    };
    name.chars().find(is_unfit)
}

/// An entry that stands for one thing or several, and how messages speak of it.
#[derive(Clone, Copy)]
pub struct Counted<'a> {
    /// Where it stands.
    pub at: At,
    /// What it is, such as `host`.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The field of the number.
    pub field: &'a str,
    /// The number.
    pub count: Option<u32>,
    /// What stands between the name and the number of each.
    pub joint: &'a str,
}

impl<'a> Counted<'a> {
    /// The names of a counted entry.
    pub fn names(
        self,
        source: &SourceText,
    ) -> Result<impl ExactSizeIterator<Item = String> + use<'a>, InputError> {
        let Counted { at, kind, name, field, count, joint } = self;
        if name.is_empty() {
            let message = format!("a {kind} has an empty name. Give it one.");
            return Err(source.error_at(at, Some("name"), message));
        }
        if let Some(character) = unfit_for_a_name(name) {
            let message = format!("{kind} `{name}`: a name must not contain {character:?}. Leave it out.");
            return Err(source.error_at(at, Some("name"), message));
        }
        match count {
            Some(0) => Err(zero_count(source, at, kind, name, field)),
            Some(count) if count as usize > LARGEST_COUNT => {
                let message = format!("{kind} `{name}`: `{field}` is above {LARGEST_COUNT}. Lower it.");
                Err(source.error_at(at, Some(field), message))
            }
            _ => Ok((0..count.unwrap_or(1)).map(move |number| match count {
                None => name.to_owned(),
                Some(_) => format!("{name}{joint}{number}"),
            })),
        }
    }
}

/// There are none of something.
fn zero_count(source: &SourceText, at: At, kind: &str, name: &str, field: &str) -> InputError {
    let message = format!("{kind} `{name}`: `{field}` is 0. Use at least 1, or remove the entry.");
    source.error_at(at, Some(field), message)
}

/// Checks that an amount is neither negative nor too large for exact sums.
pub fn in_range(
    source: &SourceText,
    at: At,
    owner: impl Display,
    field: &str,
    amount: Amount,
) -> Result<(), InputError> {
    let rule = match amount {
        _ if amount.is_negative() => "not be negative. Use 0 or more",
        _ if amount >= Amount::whole(LARGEST_AMOUNT) => "be smaller than 10^15. Use a larger unit",
        _ => return Ok(()),
    };
    let message = format!("{owner}: `{field}` is {amount} but must {rule}.");
    Err(source.error_at(at, Some(field), message))
}

/// Two things have one name.
pub fn duplicate(source: &SourceText, at: At, kind: &str, name: &str, first: At) -> InputError {
    let message = format!(
        "two {kind} are called `{name}` (the other one at line {}). Rename one.",
        source.line_of(first)
    );
    source.error_at(at, Some("name"), message)
}
