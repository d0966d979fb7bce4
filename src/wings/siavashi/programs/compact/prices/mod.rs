//! Stages by prices: whole machines as parts of a problem, with what each holds.
//!
//! The page `models/siavashi.md` has the claim on which this stands, and its proof, under [Search](crate).

mod additions;
mod assortment;
mod budgets;
mod content;
mod costs;
mod fills;
mod gpus_alone;
mod keys;
mod listed;
mod machine;
mod numbers;
mod outcome;
mod outline;
mod placing;
mod relaxed;
mod relief;
mod replacements;
mod roomiest;
mod saved;
mod searching;
mod settled;
mod sharing_out;
mod shuffling;
mod single_gpus;
mod slot;
mod stage;
mod state;
mod states;
mod stock;
mod table;
mod terms;
#[cfg(test)]
mod tests;
mod tight;
mod totals;
mod view;
mod when;

pub use stage::prove;
pub use when::{are_many, are_quicker, come_late, moves_come_late};
