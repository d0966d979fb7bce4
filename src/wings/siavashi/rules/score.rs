//! What a placement is worth.

use crate::instance::Values;
use crate::section::Goal;
use ground::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a placement is worth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SiavashiScore")]
pub struct Score {
    /// Workloads with a place.
    pub accepted: u64,
    /// Newcomers without a place.
    pub rejected: u64,
    /// Workloads that ran and have no place.
    pub evicted: u64,
    /// Objective (3): weights of the accepted workloads.
    pub acceptance: Amount,
    /// Machines that carry a workload.
    pub machines: u64,
    /// GPUs that carry a workload.
    pub gpus: u64,
    /// GPUs of machines that carry a workload, whether used or idle.
    pub gpus_of_machines: u64,
    /// Objective (4): weights of the machines and GPUs in use.
    pub hardware: Amount,
    /// Workloads that move to another machine.
    pub moved_machine: u64,
    /// Workloads that move to another GPU of their machine.
    pub moved_gpu: u64,
    /// Workloads that begin at another slot of their GPU.
    pub moved_start: u64,
    /// Workloads that stay on their GPU and count as moved because another of their group (`as_one`) is moved.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub moved_with_group: u64,
    /// Objective (5): costs of all moves and evictions.
    pub migrations: Amount,
}

impl Score {
    /// The value of a goal.
    pub fn goal(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Acceptance => self.acceptance,
            Goal::Hardware => self.hardware,
            Goal::Migrations => self.migrations,
        }
    }

    /// The values of all goals.
    pub fn values(&self) -> Values {
        Goal::ALL.map(|goal| self.goal(goal))
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
