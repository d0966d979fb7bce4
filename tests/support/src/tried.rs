//! What trying all solutions ends with.

use ground::Amount;

/// What trying all solutions ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// There are too many to try, or nothing tries them.
    TooMany,
    /// No solution obeys all rules.
    Infeasible,
    /// The values of the best one, by the stages of the question.
    Best(Vec<Amount>),
}
