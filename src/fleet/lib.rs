//! A fleet of GPUs while requests come and go, and policies that place one request after the other.
//!
//! Nothing here knows an instance, a model or a trace.

mod groups;
mod placements;
mod places;
mod policy;
mod state;

pub use groups::Alike;
pub use placements::Placements;
pub use policy::{Policy, admit};
pub use state::{Fleet, Guest, HostSupply, Move, Request, Supply};
