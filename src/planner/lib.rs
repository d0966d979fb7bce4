//! Plans from one placement to another, and proofs that no plan is better: models/plan.md has the mathematics.
//!
//! [`plan`] first derives what every plan costs (the difference to the target, chains, circles, limits), then makes a plan greedily; where
//! the two do not meet, it searches with the program P(k): which places are filled and vacated in which of k rounds, without names of
//! workloads. Names are given afterwards, and every plan is carried out by the simulator of the room `plan` before it is returned.

mod feedback;
mod garage;
mod graph;
mod greedy;
mod history;
mod lower;
mod names;
mod objective;
mod program;
mod search;
mod spare;
#[cfg(test)]
mod tests;

pub use feedback::minimum_feedback;
pub use objective::{DEFAULT_ORDER, Objective};
pub use search::{Answer, Found, Options, plan};
pub use spare::{WithSpares, plan_with_spares};
