//! The optimum of small instances by trying all solutions.

pub mod migrator;
pub mod sharing;
pub mod siavashi;
pub mod wpm;

pub use support::tried::Tried;

use models::Instance;

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
