//! The placement models, a wing each.

mod answer;
mod file;
pub mod wpm;

pub use answer::{
    CostsDocument, PrintedReading, ResultDocument, SecondsDocument, SenseName, StageDocument, StatusName,
    WorkDocument,
};
pub use file::{Instance, InstanceFile};
