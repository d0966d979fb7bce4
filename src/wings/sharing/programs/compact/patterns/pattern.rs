//! A pattern.

/// Virtual machines on a server: types and numbers, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(pub Vec<(usize, u32)>);
