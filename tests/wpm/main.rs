//! Model wpm.

mod boards;
mod certificates;
mod differential;
mod explanations;
mod generate;
mod golden;
mod heuristics;
mod maintenance;
mod page;
mod rules;
mod rules_aggregated;
mod small;

use kit::Formulation;
use wpm::{COMPACT, EXACT_INDEX, PRINTED, Whole};

/// The formulation of a name.
fn formulation(name: &str) -> &'static Whole {
    let all: [&'static Whole; 3] = [&COMPACT, &EXACT_INDEX, &PRINTED];
    all.into_iter().find(|formulation| formulation.name() == name).expect("there is such a formulation")
}
