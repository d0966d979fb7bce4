//! The optimum of small instances by trying all solutions.

pub mod migrator;
pub mod sharing;
pub mod siavashi;
pub mod wpm;

use ground::Amount;
use models::Instance;

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

/// The optimum of an instance under the named model.
pub fn best(model: &str, instance: &Instance) -> Tried {
    match model {
        "wpm" => wpm::best(instance),
        "siavashi" => siavashi::best(instance),
        "migrator" => migrator::best(instance),
        "sharing" => sharing::best(instance),
        _ => Tried::TooMany,
    }
}
