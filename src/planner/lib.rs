//! Plans from one placement to another, and proofs that no plan is better.
//!
//! [`plan()`] first derives what every plan costs, then makes a plan greedily; where the two do not meet, it searches with the program P(k):
//! which places are filled and vacated in which of k rounds, without names of workloads. Names are given afterwards, and every plan is
//! carried out by the simulator of the room `plan` before it is returned.
//!
//! The program is posed for each part that has nothing to do with the others, as if there were room for all temporary places; then lodgings
//! are found for all who step aside, and if there are some for all, the plan is as good as without any want of room. Only where there are not
//! is the program posed with all places that there are.
//!
//! What it rests on, with an arc from u to w where the new place of w and the old place of u exclude each other:
//!
//! 1. Straight to the target, with no workload stopped, a plan exists if and only if there is no circle; the fewest rounds are the vertices on a
//!    longest path. For places of the target exclude neither each other nor what stays.
//! 2. If workloads may be stopped and started later, the fewest are a minimum feedback vertex set: around a circle of which no workload is
//!    stopped, each would have to leave before the next.
//! 3. With temporary places, those who are stopped or move more than once are a feedback vertex set as well; so its size is a bound
//!    whatever the room, and it is attained where one such set fits into free places.
//! 4. Among interchangeable workloads, whoever is on a place of the target may stay: if it left and another one came, that one could have
//!    gone in its stead.

mod detours;
mod feedback;
mod fits;
mod graph;
mod greedy;
mod history;
mod kernel;
mod late;
mod lodging;
mod lower;
mod means;
mod names;
mod objective;
mod open;
mod options;
mod parted;
mod parts;
mod program;
mod search;
mod spare;
#[cfg(test)]
mod tests;

pub use feedback::minimum_feedback;
pub use objective::{DEFAULT_ORDER, Objective};
pub use open::{OpenTarget, open_target, plan_open};
pub use options::Options;
pub use search::{Answer, Found, plan};
pub use spare::{WithSpares, plan_with_spares};
