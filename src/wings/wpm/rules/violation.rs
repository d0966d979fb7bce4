//! The rules that a solution may break, in words.

use kit::Rule;

/// A rule that a solution breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A rule of the hardware.
    Hardware(cluster::Violation),
    /// A rule of the cluster: GPUs out of service, nodes, groups, budgets.
    Cluster(cluster::RuleBroken),
    /// A pinned workload is not where it was.
    PinnedMoved { workload: String },
    /// A workload that the use case does not consider has a place.
    NotConsidered { workload: String },
    /// An empty GPU is used although the use case does not use free GPUs.
    FreeGpuUsed { gpu: String },
    /// An instance takes slots of a GPU in use that were not free at first, and the GPU is not repartitioned.
    OccupiedSlotsReused { workload: String, gpu: String },
    /// A GPU is repartitioned that carries a pinned workload.
    PinnedRepartitioned { gpu: String },
    /// A GPU without workloads at first, or without any at last, is said to be repartitioned.
    NothingToRepartition { gpu: String },
    /// In reconfiguration a GPU without pinned workloads must be laid out anew to stay in use.
    NotLaidOutAnew { gpu: String },
    /// A GPU is repartitioned that is cordoned or to be drained.
    RepartitionedOutOfService { gpu: String },
    /// A workload waits although all must be placed.
    Pending { workload: String },
}

impl Rule for Violation {
    fn rule(&self) -> &'static str {
        match self {
            Violation::Hardware(violation) => violation.rule(),
            Violation::Cluster(broken) => broken.rule(),
            Violation::PinnedMoved { .. } => "pinned-moved",
            Violation::NotConsidered { .. } => "not-considered",
            Violation::FreeGpuUsed { .. } => "free-gpu-used",
            Violation::OccupiedSlotsReused { .. } => "occupied-slots-reused",
            Violation::PinnedRepartitioned { .. } => "pinned-repartitioned",
            Violation::NothingToRepartition { .. } => "nothing-to-repartition",
            Violation::NotLaidOutAnew { .. } => "not-laid-out-anew",
            Violation::RepartitionedOutOfService { .. } => "repartitioned-out-of-service",
            Violation::Pending { .. } => "pending",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::Hardware(violation) => violation.fmt(formatter),
            Violation::Cluster(broken) => broken.fmt(formatter),
            Violation::PinnedMoved { workload } => {
                write!(formatter, "`{workload}` is pinned but not where it was")
            }
            Violation::NotConsidered { workload } => {
                write!(formatter, "`{workload}` has a place, but this use case considers no newcomers")
            }
            Violation::FreeGpuUsed { gpu } => {
                write!(formatter, "{gpu} was empty and is used, but compaction uses no free GPUs")
            }
            Violation::OccupiedSlotsReused { workload, gpu } => write!(
                formatter,
                "`{workload}` takes slots of {gpu} that were occupied before, but {gpu} is not repartitioned"
            ),
            Violation::PinnedRepartitioned { gpu } => {
                write!(formatter, "{gpu} is repartitioned although it carries a pinned workload")
            }
            Violation::NothingToRepartition { gpu } => {
                write!(formatter, "{gpu} is listed as repartitioned but was empty before or is empty after")
            }
            Violation::NotLaidOutAnew { gpu } => {
                write!(
                    formatter,
                    "{gpu} stays in use without being repartitioned, but reconfiguration lays out every GPU anew"
                )
            }
            Violation::RepartitionedOutOfService { gpu } => {
                write!(formatter, "{gpu} is repartitioned, but it is cordoned or to be drained")
            }
            Violation::Pending { workload } => {
                write!(formatter, "`{workload}` has no place, but all must be placed")
            }
        }
    }
}
