//! Why a certificate is not accepted.

use std::fmt;

/// Why a certificate is not accepted. Its `Display` begins with the line, where one is to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// The line of the certificate, counted from 1; 0 where it is not about a line.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl Refusal {
    /// A refusal of a line.
    pub fn at(line: usize, reason: impl Into<String>) -> Self {
        Refusal { line, reason: reason.into() }
    }

    /// A refusal that is not about a line yet.
    pub fn of(reason: impl Into<String>) -> Self {
        Refusal::at(0, reason)
    }

    /// The same about this line, unless it is about one already.
    #[must_use]
    pub fn in_line(self, line: usize) -> Self {
        if self.line == 0 { Refusal { line, ..self } } else { self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => formatter.write_str(&self.reason),
            line => write!(formatter, "line {line}: {}", self.reason),
        }
    }
}
