//! What a packing is worth.

use super::goal::Goal;
use crate::section::Optimum;
use ground::Amount;
use kit::{SenseName, StageDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a packing is worth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SharingScore")]
pub struct Score {
    /// Servers in use.
    pub active_servers: u64,
    /// Row (4): costs of the servers in use.
    pub cost: Amount,
    /// Position, from 1, of the last server in use in the order of the instance.
    pub reach: u64,
    /// Pages in use on all servers.
    pub pages: u64,
    /// Pages that would be in use without sharing: the memories of all virtual machines that have a server.
    pub requested_pages: u64,
}

impl Score {
    /// The value of a goal.
    pub fn goal(&self, goal: Goal) -> Amount {
        match goal {
            Goal::Reach => Amount::whole(i128::from(self.reach)),
            Goal::Servers => self.cost,
        }
    }

    /// The values of the goals of an optimum, without bounds.
    pub fn values(&self, optimum: Optimum) -> Vec<StageDocument> {
        let value =
            |&goal: &Goal| StageDocument::without_bound(goal.name(), SenseName::Minimize, self.goal(goal));
        optimum.goals().iter().map(value).collect()
    }
}
