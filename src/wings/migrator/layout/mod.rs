//! Where the instances of a plan lie on the GPU, from slot to slot.
//!
//! The model knows how many instances of each size a task has, not where they lie. Here every instance gets a start slot, so
//! that first running retrainings move as rarely as possible, then the fewest instances are destroyed before the end of the
//! window, and then the most seconds of reconfigurations are hidden by instances that are created ahead.

mod ahead;
mod contents;
mod lifetime;
mod path;
mod placed;
mod reconfigured;
mod solution;

pub use lifetime::Lifetime;
pub use placed::{Layout, LayoutSummary, lay_out};
pub use solution::Solution;
