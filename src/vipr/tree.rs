//! Proofs.

/// A proof that a program has no point in a box that is better than a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// By one linear combination.
    Leaf(Leaf),
    /// By cases.
    Split {
        /// The column that is asked about.
        column: usize,
        /// The whole number.
        at: i64,
        /// The proof where the column is at most that.
        below: Box<Tree>,
        /// The proof where it is greater.
        above: Box<Tree>,
    },
}

/// Multipliers that refute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaf {
    /// The multiplier of the goal, not negative.
    pub goal: i64,
    /// Rows with their multipliers; positive ones use the lower side, negative ones the upper side.
    pub rows: Vec<(usize, i64)>,
}

impl Tree {
    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        match self {
            Tree::Leaf(_) => 1,
            Tree::Split { below, above, .. } => below.leaves() + above.leaves(),
        }
    }
}
