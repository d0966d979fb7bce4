//! The lines of an input, one after the other, however long and whatever they hold.

use std::io::{BufRead, Read, Result};

/// The longest line that is taken, in bytes, with its end of line.
pub const LONGEST_LINE: usize = 64 << 20;

/// A line of the input that is not empty.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number from 1; empty lines count.
    pub number: u64,
    /// What it holds.
    pub content: Content,
}

/// What a line holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// Text, without its end of line.
    Text(String),
    /// Bytes that are not UTF-8.
    NotText,
    /// More than [`LONGEST_LINE`] bytes, which are not held in memory.
    TooLong,
}

/// The lines of an input that are not empty.
pub(super) struct Lines<Input> {
    input: Input,
    longest: usize,
    number: u64,
}

impl<Input: BufRead> Lines<Input> {
    /// The lines, none of them longer than so many bytes.
    pub fn of(input: Input, longest: usize) -> Self {
        Lines { input, longest, number: 0 }
    }

    /// The bytes of the next line, or the first of them where it is too long; nothing at the end of the input.
    fn next_bytes(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let most = self.longest as u64 + 1;
        let read = self.input.by_ref().take(most).read_until(b'\n', &mut bytes)?;
        if bytes.len() > self.longest && bytes.last() != Some(&b'\n') {
            self.input.skip_until(b'\n')?;
        }
        Ok((read > 0).then_some(bytes))
    }
}

impl<Input: BufRead> Iterator for Lines<Input> {
    type Item = Result<Line>;

    fn next(&mut self) -> Option<Result<Line>> {
        loop {
            let mut bytes = match self.next_bytes() {
                Ok(bytes) => bytes?,
                Err(error) => return Some(Err(error)),
            };
            self.number += 1;
            let content = if bytes.len() > self.longest {
                Content::TooLong
            } else if bytes.trim_ascii().is_empty() {
                continue;
            } else {
                bytes.truncate(bytes.trim_ascii_end().len());
                String::from_utf8(bytes).map_or(Content::NotText, Content::Text)
            };
            return Some(Ok(Line { number: self.number, content }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8], longest: usize) -> Vec<(u64, Content)> {
        let lines = Lines::of(std::io::BufReader::with_capacity(3, input), longest);
        lines.map(|line| line.map(|line| (line.number, line.content)).unwrap()).collect()
    }

    fn text(text: &str) -> Content {
        Content::Text(text.to_owned())
    }

    #[test]
    fn empty_lines_count_and_are_left_out() {
        let expected = [(2, text("{}")), (5, text(" []")), (6, text("last"))];
        assert_eq!(lines(b"\n{}\n \t\r\n\n []\r\nlast", 100), expected);
        assert_eq!(lines(b"", 100), []);
        assert_eq!(lines(b"\n\n", 100), []);
    }

    #[test]
    fn what_is_no_text_is_told_and_the_next_line_read() {
        assert_eq!(lines(b"\xff\xfe\n{}", 100), [(1, Content::NotText), (2, text("{}"))]);
    }

    #[test]
    fn a_line_of_the_longest_length_is_taken_and_a_longer_one_skipped() {
        let input = b"1234567\n12345678\n123456789\n12345678901234567890\n1234";
        let expected = [
            (1, text("1234567")),
            (2, Content::TooLong),
            (3, Content::TooLong),
            (4, Content::TooLong),
            (5, text("1234")),
        ];
        assert_eq!(lines(input, 8), expected);
        assert_eq!(lines(b"12345678", 8), [(1, text("12345678"))]);
        assert_eq!(lines(b"123456789", 8), [(1, Content::TooLong)]);
    }
}
