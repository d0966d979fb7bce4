//! A solution of a wpm problem: where everything ends up, and which GPUs are repartitioned.

use crate::instance::Problem;
use cluster::{Metrics, Placement, WorkloadIndex};
use kit::{Choice, Choices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The two readings of what may happen to a GPU that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// As printed: a GPU in use either stays as it is, and only its free partitions take more, or it is
    /// repartitioned as a whole, for which it must carry nothing pinned. Waste of what stays is not counted.
    Printed,
    /// With exact indexes: slots freed by a departure can be used again at once, instances around pinned ones can be
    /// laid out anew, and all waste is counted.
    ExactIndex,
}

impl Choices for Reading {
    const ALL: &'static [Choice<Self>] = &[
        Choice { name: "printed", help: "as printed", value: Reading::Printed },
        Choice { name: "exact-index", help: "with exact indexes", value: Reading::ExactIndex },
    ];
}

/// The reading under which heuristics are judged: that of the formulation which suits the problem.
pub fn reading_for(problem: &Problem) -> Reading {
    if problem.has_pins_to_work_around() { Reading::ExactIndex } else { Reading::Printed }
}

/// Where everything ends up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Under which reading it is to be judged.
    pub reading: Reading,
    /// Where every workload ends up.
    pub placement: Placement,
    /// Per GPU: whether it is repartitioned, so that instances that stay on it may change their start freely.
    pub repartitioned: Vec<bool>,
}

impl Solution {
    /// The placement in numbers.
    pub fn metrics(&self, problem: &Problem) -> Metrics {
        Metrics::of(&problem.cluster, &self.placement, self.pending(problem))
    }

    /// Where the decided workloads without a place are counted: those that wait.
    pub fn pending<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = WorkloadIndex> + 'a {
        problem.decided().filter(|&workload| self.placement.of(workload).is_none())
    }
}
