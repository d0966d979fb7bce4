//! How a cluster gets from one placement to another.
//!
//! A [`Transition`] says what is wanted: the cluster as it is, the target, and what limits the way. A [`Plan`] is a list of rounds, each
//! a set of moves of which the old and the new places are pairwise disjoint, so that every interleaving of their operations is legal.
//! [`judge`] carries a plan out, operation by operation and slot by slot, and says what it breaks, what it costs, and which of its
//! bounds it can check.
//!
//! Nothing here searches: plans come from the room `planner`, or were written by hand.

mod as_one;
mod certificate;
mod class;
mod document;
mod finding;
mod judge;
mod moves;
mod operations;
mod place;
mod simulator;
mod spare;
mod transition;

pub use as_one::AsOne;
pub use certificate::{Certified, is_stuck, levels};
pub use class::Class;
pub use document::{
    Bound, Bounds, By, Counts, Expectation, InstanceEntry, MoveEntry, OperationEntry, OperationName,
    PlanFile, PlanInstance, Promise, Resolved, RoundEntry, SpareGpu, TargetEntry, WayEntry, spot,
};
pub use finding::Finding;
pub use judge::{Judgement, judge};
pub use moves::{Kind, Move, Plan, Round};
pub use operations::{Operation, operations};
pub use place::{Place, illegal};
pub use simulator::{Run, carry_out};
pub use spare::with_spares;
pub use transition::{Backend, Limits, Transition, Unit};
