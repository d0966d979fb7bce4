//! What a packing is, which rules it obeys and what it is worth.

mod goal;
mod impossible;
mod packing;
mod pages;
mod room;
mod score;
mod verify;
mod violation;

pub use goal::Goal;
pub use impossible::impossible;
pub use packing::Packing;
pub use pages::pages_of;
pub use room::{Need, Room};
pub use score::Score;
pub use verify::{Verification, hosts, verify};
pub use violation::Violation;
