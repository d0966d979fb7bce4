//! The compact way: prices, a dynamic program, and a flow of what they leave open.
//!
//! 1. [`states`]: an inference task in a slot is in a state, an allocation and an age; instances and configurations need no
//!    columns.
//! 2. [`joint`]: the tasks meet in nothing but the contents of the GPU in each slot.
//! 3. [`pricing`]: with a price on every allocation and every retraining in every slot each model is a longest path, and each
//!    slot picks the contents of the highest price. Whatever the prices, the sum is an upper bound on the goodput; prices and
//!    goodput are integers, so the bound is exact.
//! 4. [`schedule`]: for given retrainings the best allocations of all tasks are a longest path over joint states.
//! 5. [`presolve`]: improves the prices, finds a good plan, and tells what no better plan contains.
//! 6. [`flow`]: what is left is a mixed-integer program, whose bound is the proof.
//!
//! [`index`] says what the numbers in all of them stand for; [`list`] holds lists that are indexed by one kind of number alone.

mod fit_table;
mod flow;
mod index;
mod joint;
mod list;
mod presolve;
mod pricing;
mod schedule;
mod states;
mod subgradient;

pub use flow::{Flow, Scope};
pub use joint::Joint;
pub use presolve::{Effort, Presolved, presolve};
