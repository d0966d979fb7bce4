//! The placement models, a wing each.

mod answer;
mod file;
mod proposal;
mod registry;
pub mod wpm;

pub use answer::{
    CostsDocument, PrintedReading, ResultDocument, SecondsDocument, SenseName, StageDocument, StatusName,
    WorkDocument,
};
pub use file::{Instance, InstanceFile};
pub use proposal::{ProposalDocument, ViolationDocument};
pub use registry::{MODELS, ModelEntry, metrics_of};
