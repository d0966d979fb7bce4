//! Traces of virtual machines that come and go, replayed on a fleet of GPUs under a policy.
//!
//! A [`Trace`] is read from files and then [read as](Trace::read_as) the user wants it. A policy decides about each arrival as
//! it comes, knowing nothing of what follows. What the same trace would have allowed to somebody who knew all of it is bounded
//! with proof, so that every policy can be measured.

mod document;
mod moment;
mod operator;
mod optimal;
mod reading;
mod trace;

pub use document::{
    ActiveSums, BoundDocument, BoundValue, Conditions, Hour, Planning, PolicyDocument, ProfileCount,
    ScheduleDocument, TraceSummary,
};
pub use moment::Moment;
pub use operator::{Decision, Operator, Proof, ReplayError};
pub use optimal::{Optimal, OptimalOptions};
pub use reading::{GpusPerHost, Reading, Until};
pub use trace::{Trace, Visit};
