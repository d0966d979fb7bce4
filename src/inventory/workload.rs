//! What runs on an instance, or waits for one.

use crate::gather::User;
use crate::movability::Movability;

/// Where a workload runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The GPU, by node and index.
    pub gpu: String,
    /// First memory slot.
    pub start: u8,
}

/// What runs on an instance, or waits for one.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name in the cluster.
    pub name: String,
    /// The profile that it has or needs; several where any of them serves.
    pub profiles: Vec<String>,
    /// Where it runs; `None` of a newcomer.
    pub current: Option<Place>,
    /// How it can be moved.
    pub movability: Movability,
    /// Why.
    pub reason: String,
    /// Those that may stand for each other have one class; `None` if nothing may stand for it.
    pub class: Option<String>,
    /// Disruption budgets that protect it.
    pub budgets: Vec<String>,
    /// Who it is; none of an instance that is kept although nothing uses it.
    pub users: Vec<User>,
}
