//! How many GPUs a load needs.
//!
//! The load is every workload of an instance, those that run and those that wait, and so many more of some profiles ([`Addition`]). All
//! of it may be laid out anew, but for workloads that may not be moved: these keep their places, and their GPUs stay and may carry
//! others too. Beside them, GPUs of some boards can be had in any number, all empty. [`cases`] asks for the fewest of each board alone,
//! and, where a cluster has several boards, for the cheapest mixture of them. Each case is an instance of model wpm: place every
//! workload, and use GPUs that cost as little as possible. CPU and memory of hosts are not looked at.
//!
//! Of each board there are as many GPUs in a case as are enough for any part of the load: one profile per GPU, each GPU as full as it
//! gets. A solution that uses more GPUs of a board can do with these, so that the optimum is that of any number. Beside the proof of the
//! solver stands a [`Counting`], which people can add up and which mostly says as much.

mod addition;
mod case;
mod counting;
mod document;
#[cfg(test)]
mod tests;

pub use addition::Addition;
pub use case::{Case, Unknown, cases};
pub use counting::{BoardCapacity, Counting, ProfileWeight};
pub use document::{BoardCount, LayoutCount, LoadCount, Sizing, SizingDocument};
