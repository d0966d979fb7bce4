//! How much may change.

use crate::section::Shifts;

/// How much may change at most, and what counts as a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Most running workloads that are moved.
    pub max_migrations: Option<u32>,
    /// Most running workloads that are not in their slot in the end.
    pub max_disrupted: Option<u32>,
    /// Whether another start on the same GPU is a move.
    pub shifts: Shifts,
}
