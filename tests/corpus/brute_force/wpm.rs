//! The optimum of model wpm.

use models::Instance;
use support::tried::Tried;
use support::wpm::trial::best_under;
use wpm::{Reading, reading_for};

/// What the best solution is worth, under the reading by which the product answers by itself.
pub fn best(instance: &Instance) -> Tried {
    let problem = instance.problem::<wpm::Wpm>().expect("instances of the corpus pose problems");
    best_under(&problem, reading_for(&problem))
}

/// What the best solution is worth under the printed reading.
pub fn best_as_printed(instance: &Instance) -> Tried {
    let problem = instance.problem::<wpm::Wpm>().expect("instances of the corpus pose problems");
    best_under(&problem, Reading::Printed)
}
