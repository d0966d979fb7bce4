//! What a solution is worth, in numbers.

use crate::section::Goal;
use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a solution is worth, term by term of the profit (2a).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WpmScore")]
pub struct Score {
    /// Workloads with a place, of those that the use case considers and that are not pinned.
    pub placed: u64,
    /// Workloads without a place, of the same ones.
    pub pending: u64,
    /// Sum of the rewards of those with a place.
    pub reward: Amount,
    /// GPUs with at least one workload.
    pub gpus: u64,
    /// Cost of these GPUs.
    pub gpu_cost: Amount,
    /// Running workloads that move: to another GPU, or off their place, and under the exact-index reading, or with `shifts: counted`, to
    /// another start; all of a group that counts as one, where one of it does.
    pub migrations: u64,
    /// Running workloads that are not in their slot in the end; all of a group that counts as one, where one of it is not.
    #[serde(default)]
    pub disrupted: u64,
    /// GPUs repartitioned.
    pub repartitions: u64,
    /// Cost of migrations and repartitions.
    pub migration_cost: Amount,
    /// Compute and memory slices wasted, as the reading counts them.
    pub wasted_slices: u64,
    /// Cost of the waste.
    pub waste_cost: Amount,
    /// Rewards less all costs.
    pub profit: Amount,
}

impl Score {
    /// The value of one goal.
    pub fn goal(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Reward => self.reward,
            Goal::Gpus => self.gpu_cost,
            Goal::Migrations => self.migration_cost,
            Goal::Waste => self.waste_cost,
        }
    }
}
