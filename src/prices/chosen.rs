//! A choice of contents, one for each part.

/// A content of a part, and how many of the parts that are alike take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen<C> {
    /// The part.
    pub part: usize,
    /// What it takes.
    pub content: C,
    /// How many of those that are alike.
    pub number: u32,
}
