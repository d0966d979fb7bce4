//! Entries that continue one another.
//!
//! An entry with `count: N` stands for N entries, the numbers at the end of whose names go up: that of the GPU by 1, that of the workload by
//! `every`. What is read is written out again, so that nobody else knows of counts.

use ground::grouped;
use itertools::Itertools;
use serde::{Deserialize, Deserializer, de};

/// A solution with more entries than this is refused, so that a few bytes cannot ask for all memory.
const MOST_ENTRIES: usize = 20_000_000;

/// Entries each of which is the one before with the next number, as one.
pub fn in_a_row<T: Numbering>(entries: &[T]) -> Vec<T> {
    let mut runs = Vec::new();
    let mut rest = entries;
    while let [first, more @ ..] = rest {
        let continues = |(number, next): &(u64, &T)| first.after(*number).is_ok_and(|entry| entry == **next);
        let length = 1 + (1..).zip(more).take_while(continues).count();
        runs.push(if length > 1 { first.times(length) } else { first.clone() });
        rest = &rest[length..];
    }
    runs
}

/// Reads entries, writing out those with a count.
///
/// # Errors
/// As the entries are read; when a count is 0 or absurd, or a name has no number to continue.
pub fn written_out<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Numbering + Deserialize<'de>,
{
    let mut entries = Vec::new();
    for mut entry in Vec::<T>::deserialize(deserializer)? {
        let Some(count) = entry.take_count() else {
            entries.push(entry);
            continue;
        };
        if count == 0 {
            return Err(de::Error::custom("`count` is 0. Leave the entry out."));
        }
        if entries.len() + count as usize > MOST_ENTRIES {
            let message = format!(
                "there are more than {} entries with this `count` of {count}. Give a smaller one.",
                grouped(&MOST_ENTRIES.to_string())
            );
            return Err(de::Error::custom(message));
        }
        let all = (0..u64::from(count)).map(|number| entry.after(number));
        entries.extend(all.process_results(|all| all.collect_vec()).map_err(de::Error::custom)?);
    }
    Ok(entries)
}

/// Reads entries that may be absent, writing out those with a count.
///
/// # Errors
/// As [`written_out`].
pub fn some_written_out<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    T: Numbering + Deserialize<'de>,
{
    struct WrittenOut<T>(Vec<T>);
    impl<'de, T: Numbering + Deserialize<'de>> Deserialize<'de> for WrittenOut<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            written_out(deserializer).map(WrittenOut)
        }
    }
    Ok(Option::deserialize(deserializer)?.map(|WrittenOut(entries)| entries))
}

/// An entry whose names end in numbers, which a count continues.
pub trait Numbering: Clone + PartialEq {
    /// How often it is there, which it forgets.
    fn take_count(&mut self) -> Option<u32>;
    /// The same entry, so often.
    fn times(&self, count: usize) -> Self;
    /// The entry that is so many after this one.
    ///
    /// # Errors
    /// When a name has no number to continue.
    fn after(&self, number: u64) -> Result<Self, String>;
}

/// A name and the number at its end.
pub struct Numbered<'n> {
    /// What is before it.
    pub stem: &'n str,
    /// The number.
    pub number: u64,
    digits: usize,
}

impl<'n> Numbered<'n> {
    /// Those of a name that ends in a number.
    pub fn of(name: &'n str) -> Option<Self> {
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let digits = &name[stem.len()..];
        Some(Numbered { stem, number: digits.parse().ok()?, digits: digits.len() })
    }
}

/// The name with so much more at its end, in as many digits at least.
///
/// # Errors
/// When it does not end in a number.
pub fn renumbered(name: &str, more: u64) -> Result<String, String> {
    if more == 0 {
        return Ok(name.to_owned());
    }
    let numbered =
        Numbered::of(name).and_then(|numbered| Some((numbered.number.checked_add(more)?, numbered)));
    let (number, Numbered { stem, digits, .. }) = numbered.ok_or_else(|| {
        format!("`{name}` has no number at its end that `count` could continue. Leave `count` out.")
    })?;
    Ok(format!("{stem}{number:0digits$}"))
}
