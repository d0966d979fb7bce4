//! The optimum of model sharing by trying all.

use super::Tried;
use migopt::model::Instance;

/// What the best solution is worth.
pub fn best(_: &Instance) -> Tried {
    Tried::TooMany
}
