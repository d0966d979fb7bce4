#![doc = include_str!("../../models/replay.md")]

mod asked_for;
pub mod bound;
mod document;
mod duration;
mod engine;
mod folder;
mod folder_reader;
mod guests;
mod journalled;
mod moment;
mod online;
mod operator;
mod optimal;
mod policies;
mod reading;
mod repack;
mod state_check;
mod trace;

pub use document::{
    ActiveSums, BoundDocument, BoundValue, Conditions, Hour, Planning, PolicyDocument, ProfileCount,
    ScheduleDocument, TraceSummary,
};
pub use duration::seconds_of_duration;
pub use engine::{Replay, digest, profile_counts, profile_name, replay};
pub use folder::{Folder, FolderError};
pub use folder_reader::{CONDITIONS_FILE, PolicyRun, ReplayFolder, subfolders};
pub use journalled::Journalled;
pub use moment::Moment;
pub use online::OnlineOperator;
pub use operator::{Decision, Operator, Proof, ReplayError};
pub use optimal::{Optimal, OptimalOptions};
pub use policies::{
    OPTIMAL, PolicyOptions, default_policies, online_policies, operator_for, policy_settings,
};
pub use reading::{GpusPerHost, Reading, Until};
pub use trace::{
    HostChoice, HostKind, KeepOrDrop, Lifetimes, LookBack, PeakLoad, PodReading, Trace, TraceDocument,
    TraceFiles, TraceForm, TraceStatistics, Visit,
};
