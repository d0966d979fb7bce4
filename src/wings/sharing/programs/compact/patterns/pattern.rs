//! A pattern.

/// A set of virtual machines on a server of a kind: type of virtual machine and number, ascending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// Position in the pool's kinds of servers.
    pub kind: usize,
    /// Types and numbers.
    pub held: Vec<(usize, u32)>,
}
