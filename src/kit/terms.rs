//! The terms in which a model's formulations speak.

/// A model as its formulations know it; every wing is one.
pub trait Terms {
    /// Unique name.
    const NAME: &'static str;

    /// A problem with everything resolved.
    type Problem;
    /// A solution, with everything that it is judged by.
    type Solution;
    /// What a solution is worth.
    type Score;
}
