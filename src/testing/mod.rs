//! Ground truth for tests of heuristics.
//!
//! - [`assert_gap_at_most!`](crate::assert_gap_at_most), [`assert_valid!`](crate::assert_valid) and
//!   [`assert_optimal!`](crate::assert_optimal) judge a solution; when they fail, they show it beside an optimal one.
//! - [`corpus`] has hundreds of small instances of each model with their proved optima, from trivial to tricky, so that a test
//!   need not solve anything.
//! - `strategies`, with the cargo feature `proptest`, draws small random instances that shrink.
//!
//! ```
//! use migopt::testing::corpus;
//! use migopt::{Instance, Solution, assert_gap_at_most, assert_valid};
//!
//! /// Leaves everything where it is.
//! fn idle(instance: &Instance) -> Solution {
//!     Solution::of_placement(instance, &instance.cluster.current_placement())
//! }
//!
//! for truth in corpus("wpm").iter().filter(|truth| truth.family == "trivial") {
//!     assert_valid!(truth.instance, idle(&truth.instance));
//!     // Proved once and for all; no solver runs here.
//!     let distance = truth.distance(&idle(&truth.instance)).unwrap();
//!     assert!(distance.relative <= 1.0);
//! }
//! let instance = Instance::from_yaml("
//! name: nothing-to-do
//! gpus: [{name: gpu, board: A30-24GB}]
//! workloads: [{name: chat, profile: 2g.12gb, current: {gpu: gpu, start: 0}}]
//! ").unwrap();
//! assert_gap_at_most!(instance, idle(&instance), 0.05);
//! ```

mod assertions;
mod corpus;

pub use crate::{assert_gap_at_most, assert_optimal, assert_valid};
pub use assertions::{gap_at_most, valid};
pub use corpus::{Truth, corpus};
#[cfg(feature = "proptest")]
pub use strategies;
