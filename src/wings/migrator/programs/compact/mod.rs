//! The compact way: prices, sweeps through the window, and a search among parts of it; and the program that says the same.
//!
//! 1. [`states`]: an inference task in a slot is in a state, an allocation and an age; instances and configurations need no
//!    columns.
//! 2. [`joint`]: the tasks meet in nothing but the contents of the GPU in each slot.
//! 3. [`domain`]: the starts of retrainings that are open in a part of the search.
//! 4. [`pricing`]: with a price on every allocation and every retraining in every slot each model is a longest path, and each
//!    slot picks the contents of the highest price. Whatever the prices, the sum is an upper bound on the goodput; prices and
//!    goodput are integers, so the bound is exact. [`paths`] are those of one model, [`subgradient`] improves the prices.
//! 5. [`rests`]: what the rest of the window is worth to each model at most; what a step of a plan falls short of that, it loses.
//! 6. [`sweep`]: all plans at once, slot by slot, as far as they lose little; [`entrance`] is a step of it.
//! 7. [`tree`]: parts of the search with open starts and prices of their own; [`split`] says where a part is divided.
//! 8. [`advice`]: the prices of a part and where it is divided, for certificates.
//! 9. [`flow`]: the same as a mixed-integer program, for export and for other solvers.
//!
//! [`index`] says what the numbers in all of them stand for; [`list`] holds lists that are indexed by one kind of number alone.

mod advice;
mod domain;
mod entrance;
mod fit_table;
mod flow;
mod index;
mod joint;
mod kept;
mod list;
mod paths;
mod potential;
mod pricing;
mod rests;
mod split;
mod states;
mod subgradient;
mod sweep;
mod tree;

pub use advice::{Advice, Advised};
pub use flow::Flow;
pub use joint::Joint;
pub use split::{Cut, Measure};
pub use tree::{Counters, Effort, Searched, Until, search_tree};
