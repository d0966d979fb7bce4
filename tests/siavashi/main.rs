//! Model siavashi.

mod certificates;
mod claims;
mod differential;
mod explanations;
mod golden;
mod page;
mod policies;
mod policy_runs;
mod prices;
mod rules;
mod schedulers;
mod starts;

use kit::Formulation;
use siavashi::{COMPACT, PRINTED, SLOTS, Staged};

/// The formulation of a name.
fn formulation(name: &str) -> &'static Staged {
    let all: [&'static Staged; 3] = [&COMPACT, &PRINTED, &SLOTS];
    all.into_iter().find(|formulation| formulation.name() == name).expect("there is such a formulation")
}
