//! Ways of writing a problem as a program, and from there to a proved, verified answer.

mod aggregate;
mod aggregated;
mod columns;
mod compact;
mod concerns;
mod disaggregate;
mod encoding;
mod exact_index;
mod formulations;
mod frontier;
mod goals;
mod lattice;
mod linear;
mod printed;
mod printed_reading;
mod printed_rules;
mod reader;
mod relaxation;
mod rule_rows;
mod solve;
mod stage_plan;
mod start_slots;
mod states;
mod whole;

pub use compact::compact;
pub use encoding::Encoding;
pub use exact_index::exact_index;
pub use formulations::{COMPACT, EXACT_INDEX, FORMULATIONS, PRINTED, suitable};
pub use lattice::Lattice;
pub use printed::{BinViewFails, Printed};
pub use printed_reading::printed_reading;
pub use reader::{Solved, values};
pub use relaxation::{Case, Duals, Relaxations};
pub use solve::solve;
pub use stage_plan::StagePlan;
pub use whole::Whole;
