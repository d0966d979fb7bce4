//! What workloads and GPUs may do under a use case.

use cluster::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a workload may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Runs and stays where it is (outside the paper's W).
    Pinned,
    /// Runs and may be moved.
    Resident,
    /// Waits for a place.
    Newcomer,
    /// Waits, but the use case does not consider newcomers.
    NotConsidered,
}

impl Role {
    /// The workload's part in a question, as the rules of clusters ask for it.
    pub fn part(self) -> Part {
        match self {
            Role::Pinned => Part::Pinned,
            Role::Resident => Part::Resident,
            Role::Newcomer => Part::Newcomer,
            Role::NotConsidered => Part::NotConsidered,
        }
    }

    /// Whether the workload is in the paper's set W: the program decides about it and its reward counts.
    pub fn is_decided(self) -> bool {
        matches!(self, Role::Resident | Role::Newcomer)
    }
}

/// What may happen to a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GpuRole {
    /// Empty and available (the paper's F).
    Free,
    /// Empty, but not to be used: the use case uses no free GPUs, or this one is out of service.
    NotConsidered,
    /// Carries workloads, none pinned: may stay as it is or, in service, be repartitioned (it has an imaginary twin).
    Occupied,
    /// Carries a pinned workload: stays in use.
    Pinned,
}
