//! What is wrong with an input, once or several times.

use super::document::{MOST_COUNTED, MOST_TOLD};
use std::fmt;

/// What is wrong with an input: one paragraph that names the file, the place, the rule and the fix, and below it the line of the place.
/// Where more is wrong with the same file, it follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    /// The file, or `standard input`.
    pub file: String,
    /// Line from 1, where known.
    pub line: Option<u64>,
    /// Column from 1, where known.
    pub column: Option<u64>,
    /// Field, rule broken and how to fix it.
    pub message: String,
    /// The line of the place, and a mark under the place.
    pub excerpt: Option<Box<str>>,
    /// What else is wrong with the file; these have no others themselves.
    pub others: Box<[InputError]>,
    /// How much more is wrong that is not told, at least.
    pub untold: usize,
}

impl InputError {
    /// The paragraph alone: file, place and message.
    pub fn paragraph(&self) -> String {
        let file = &self.file;
        let place = match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            (Some(line), None) => format!("{file}:{line}"),
            _ => file.clone(),
        };
        format!("{place}: {}", self.message)
    }

    /// This error and the others, each by itself.
    pub fn each(&self) -> impl Iterator<Item = &InputError> {
        std::iter::once(self).chain(self.others.iter())
    }

    /// All paragraphs without excerpts, a line each: for documents and other places where a drawing is out of place.
    pub fn paragraphs(&self) -> String {
        let paragraphs: Vec<String> = self.each().map(InputError::paragraph).chain(self.more()).collect();
        paragraphs.join("\n")
    }

    /// Words about what is not told.
    fn more(&self) -> Option<String> {
        let least = if self.untold >= MOST_COUNTED - MOST_TOLD { "at least " } else { "" };
        (self.untold > 0).then(|| format!("... and {least}{} more", self.untold))
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |error: &InputError| match &error.excerpt {
            Some(excerpt) => format!("{}\n{excerpt}", error.paragraph()),
            None => error.paragraph(),
        };
        let all: Vec<String> = self.each().map(told).chain(self.more()).collect();
        formatter.write_str(&all.join("\n"))
    }
}

/// What is found wrong with a file while reading goes on.
#[derive(Debug, Default)]
pub struct Complaints {
    told: Vec<InputError>,
    untold: usize,
}

impl Complaints {
    /// Takes an error, and the others that it brings.
    pub fn add(&mut self, mut error: InputError) {
        self.untold += std::mem::take(&mut error.untold);
        let others = std::mem::take(&mut error.others);
        for error in std::iter::once(error).chain(others) {
            if self.told.contains(&error) {
                // Two models read the same boards.
            } else if self.told.len() < MOST_TOLD {
                self.told.push(error);
            } else {
                self.untold += 1;
            }
        }
    }

    /// What was read, if it could be; else the complaint is kept.
    pub fn keep<T>(&mut self, read: Result<T, InputError>) -> Option<T> {
        read.map_err(|error| self.add(error)).ok()
    }

    /// What could be read of some entries; the complaints about the others are kept.
    pub fn keep_each<E, T>(
        &mut self,
        entries: impl IntoIterator<Item = E>,
        mut read: impl FnMut(E) -> Result<T, InputError>,
    ) -> Vec<T> {
        let mut kept = Vec::new();
        for entry in entries {
            if self.is_full() {
                break;
            }
            kept.extend(self.keep(read(entry)));
        }
        kept
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// Whether so much is wrong that more need not be told.
    pub fn is_full(&self) -> bool {
        self.told.len() + self.untold >= MOST_COUNTED
    }

    /// What was read, if nothing is wrong; there must be something then.
    ///
    /// # Errors
    /// With all that is wrong, in the order of the file.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, InputError> {
        let Complaints { mut told, untold } = self;
        // What has no place comes last.
        told.sort_by_key(|error| (error.line.is_none(), error.line, error.column));
        let mut told = told.into_iter();
        match told.next() {
            None => Ok(read.expect("what cannot be read is complained of")),
            Some(first) => Err(InputError { others: told.collect(), untold, ..first }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: u64) -> InputError {
        let message = format!("rule {line} is broken. Fix it.");
        InputError { file: "f".to_owned(), line: Some(line), message, ..InputError::default() }
    }

    #[test]
    fn several_are_told_in_the_order_of_the_file() {
        let mut complaints = Complaints::default();
        assert!(complaints.is_empty());
        complaints.add(error(5));
        complaints.add(error(5));
        assert_eq!(complaints.keep(Ok(3)), Some(3));
        assert_eq!(
            complaints.keep::<()>(Err(InputError { excerpt: Some("  2 | x".into()), ..error(2) })),
            None
        );
        let told = complaints.finish(Some(())).unwrap_err();
        assert_eq!(
            told.to_string(),
            "f:2: rule 2 is broken. Fix it.\n  2 | x\nf:5: rule 5 is broken. Fix it."
        );
        assert_eq!(told.paragraphs(), "f:2: rule 2 is broken. Fix it.\nf:5: rule 5 is broken. Fix it.");
    }

    #[test]
    fn very_many_are_counted() {
        let mut complaints = Complaints::default();
        complaints.add(InputError { others: (2..=15).map(error).collect(), untold: 4, ..error(1) });
        (16..30).for_each(|line| complaints.add(error(line)));
        assert!(!complaints.is_full());
        let told = complaints.finish(Some(())).unwrap_err();
        assert_eq!((told.each().count(), told.untold), (20, 13));
        assert!(told.to_string().ends_with("f:20: rule 20 is broken. Fix it.\n... and 13 more"), "{told}");
        assert_eq!(Complaints::default().finish(Some(5)), Ok(5));
        let mut complaints = Complaints::default();
        (1..=100).for_each(|line| complaints.add(error(line)));
        assert!(complaints.is_full());
        assert!(
            complaints.finish::<()>(None).unwrap_err().to_string().ends_with("\n... and at least 80 more")
        );
    }
}
