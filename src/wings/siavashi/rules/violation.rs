//! The rules that a placement can break.

use kit::Rule;

/// A rule that a placement breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A rule of the hardware: profiles, starts, slots, limits, CPU and main memory of hosts.
    Hardware(cluster::Violation),
    /// A rule of the cluster: GPUs out of service, nodes, groups, budgets.
    Cluster(cluster::RuleBroken),
    /// A pinned workload is not where it was.
    PinnedMoved { workload: String },
    /// A workload that ran has no place although residents keep one.
    Evicted { workload: String },
}

impl Rule for Violation {
    fn rule(&self) -> &'static str {
        match self {
            Violation::Hardware(violation) => violation.rule(),
            Violation::Cluster(broken) => broken.rule(),
            Violation::PinnedMoved { .. } => "pinned-moved",
            Violation::Evicted { .. } => "evicted",
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
            Violation::Evicted { workload } => {
                write!(formatter, "`{workload}` ran and has no place, but residents must keep one")
            }
        }
    }
}
