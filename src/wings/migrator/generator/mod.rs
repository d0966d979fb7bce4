//! Random windows as in section 5.1 of the paper.

mod drawing;
mod naming;
mod options;
mod parameters;
mod recorded;
mod series;
mod workloads;

pub use drawing::generate;
pub use options::{GeneratorOptions, Source, USUAL_COMPRESSION, USUAL_PSI_SHARE};
pub use parameters::GENERATOR;
pub use recorded::Recording;
pub use series::{PARTS_PER_SECOND, Shape, synthetic};
pub use workloads::{NETWORKS, Network, RetrainingData, Workload};
