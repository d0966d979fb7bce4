//! Plans with indices: rounds of moves.

use crate::place::Place;
use cluster::WorkloadIndex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a workload gets from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A second copy starts, takes over, and the first one stops.
    Surge,
    /// It stops, then starts at the new place in the same round.
    Restart,
    /// It stops. Where it is to run on, it starts again in a later round.
    Stop,
    /// It starts: a newcomer, or a workload that was stopped in an earlier round.
    Start,
}

/// What one workload does in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// The workload.
    pub workload: WorkloadIndex,
    /// The place that it leaves.
    pub from: Option<Place>,
    /// The place that it enters.
    pub to: Option<Place>,
    /// How.
    pub kind: Kind,
    /// Whether `to` is a temporary place, which it leaves in a later round.
    pub via: bool,
}

/// Moves that run side by side, in the order of the cluster's workloads.
pub type Round = Vec<Move>;

/// Rounds, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The rounds.
    pub rounds: Vec<Round>,
}
