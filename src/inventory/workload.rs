//! What runs on an instance, or waits for one.

use crate::gather::User;
use crate::movability::Movability;
use ground::Amount;
use std::collections::BTreeMap;

/// Where a workload runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The GPU, by node and index.
    pub gpu: String,
    /// First memory slot.
    pub start: u8,
}

/// The nodes to which a workload is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeRule {
    /// Those that have these labels, each with one of some values.
    Labels(BTreeMap<String, Vec<String>>),
    /// These.
    Names(Vec<String>),
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
    /// The nodes on which it may be; all, where there is none.
    pub nodes: Option<NodeRule>,
    /// The groups to which it belongs.
    pub groups: Vec<String>,
    /// CPU cores that it asks for, where they are limited.
    pub cpu: Amount,
    /// Main memory in GiB that it asks for, where it is limited.
    pub memory: Amount,
    /// Who it is; none of an instance that is kept although nothing uses it.
    pub users: Vec<User>,
}
