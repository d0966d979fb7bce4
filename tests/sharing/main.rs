//! Model sharing.

mod certificates;
mod differential;
mod generate;
mod heuristics;
mod input;
mod page;
mod printed;
mod search;
mod small;
mod verify;

use kit::{Chosen, Formulation, Heuristic, choose_heuristic};
use sharing::{COMPACT, HEURISTICS, PRINTED, Packing, Problem, Way};

/// The formulation of a name.
fn formulation(name: &str) -> &'static Way {
    let all: [&'static Way; 2] = [&COMPACT, &PRINTED];
    all.into_iter().find(|formulation| formulation.name() == name).expect("there is such a formulation")
}

/// The heuristic that a text names.
fn heuristic_named(text: &str) -> Result<Chosen<dyn Heuristic<Problem, Packing>>, String> {
    choose_heuristic(HEURISTICS, text)
}
