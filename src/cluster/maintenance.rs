//! GPUs on which nothing more may start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a GPU is in service, in ascending order of severity.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Maintenance {
    /// Workloads may come, stay and leave.
    #[default]
    InService,
    /// Nothing starts there: what runs stays in its slots or leaves.
    Cordoned,
    /// Nothing starts there, and every workload that may be moved leaves.
    Draining,
}

impl Maintenance {
    /// What `cordoned` and `drain` of an entry mean.
    pub(super) fn of(cordoned: bool, drain: bool) -> Self {
        match (cordoned, drain) {
            (_, true) => Maintenance::Draining,
            (true, false) => Maintenance::Cordoned,
            (false, false) => Maintenance::InService,
        }
    }

    /// Whether workloads may come.
    pub fn is_in_service(&self) -> bool {
        *self == Maintenance::InService
    }
}
