//! A fleet of GPUs while requests come and go, and policies that place one request after the other.
//!
//! Nothing here knows an instance, a model or a trace.

mod groups;
mod placements;
mod policy;
mod state;

pub use placements::Placements;
pub use policy::{Policy, admit};
pub use state::{Fleet, Guest, Move, Request, Supply};
