//! GPUs on which nothing more may start.

use super::Cluster;
use ground::{InputError, SourceText};
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

impl Cluster {
    /// Refuses GPUs out of service on behalf of `who`, which lets workloads start on every GPU; `instead` is what to do then.
    ///
    /// # Errors
    /// When a GPU is cordoned or to be drained.
    pub fn all_in_service(&self, source: &SourceText, who: &str, instead: &str) -> Result<(), InputError> {
        let Some(gpu) = self.gpus.iter().find(|gpu| !gpu.maintenance.is_in_service()) else { return Ok(()) };
        let field = if gpu.maintenance == Maintenance::Draining { "drain" } else { "cordoned" };
        let message = format!(
            "GPU `{}` is out of service by `{field}: true`, and {who} would start workloads there all the same. {instead}",
            gpu.name
        );
        Err(source.error_at_entry(field, "true", message))
    }
}
