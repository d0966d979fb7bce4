#![doc = include_str!("../../../models/migrator.md")]

mod certificates;
mod documents;
mod generator;
mod heuristics;
mod instance;
mod layout;
mod metrics;
mod programs;
mod rules;
mod section;
mod wing;

pub use certificates::plain;
pub use documents::{About, QuestionDocument, QuestionModel};
pub use generator::{
    GENERATOR, GeneratorOptions, NETWORKS, Network, PARTS_PER_SECOND, Recording, RetrainingData, Shape,
    Source, USUAL_COMPRESSION, USUAL_PSI_SHARE, Workload, generate, synthetic,
};
pub use heuristics::{
    Astraea, Ekya, Forecast, Greedy, HEURISTICS, Hysteresis, Paris, Sight, StaticBest, heuristic_named,
};
pub use instance::{
    Allocation, Exact, Gpu, Knapsack, ModelIndex, ModelTasks, Problem, Size, SizeIndex, TooFine, build,
    capability, goodput, kept, outage_slots,
};
pub use layout::{Layout, LayoutSummary, Lifetime, Solution, lay_out};
pub use metrics::{Figures, METRICS};
pub use programs::{
    CompactFormulation, Counters, Effort, Encoding, FORMULATIONS, Flow, Joint, Printed, PrintedFormulation,
    Searched, Until, search_tree,
};
pub use rules::{
    GOODPUT, ModelScore, MpsEstimate, Plan, Retraining, Score, Spare, TaskPlan, Verification, Violation,
    earliest_start, impossible, minimal_allocations, series, shortest_schedule, verify,
};
pub use section::{
    Accuracy, Deployment, ModelSection, Readings, Reconfiguration, RequestsFile, Section, Signature,
    read_requests,
};

/// Inference and retraining of several models on one GPU during a window of time (MIGRator).
pub struct Migrator;
