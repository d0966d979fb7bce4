//! What an import asks for and what it finds.

use crate::classes::Classes;
use crate::gather::{Gpu, Unknown};
use crate::host::Host;
use crate::lock::{LockedBudget, LockedNode};
use crate::rules::Rules;
use crate::workload::Workload;
use cluster::GroupSection;
use mig::Board;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How files are joined.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the cluster.
    pub name: String,
    /// The board of GPUs of which no file tells a product that is known.
    pub board: Option<Arc<Board>>,
    /// Whether instances that nothing uses are kept where they are instead of being free room.
    pub keep_idle: bool,
    /// Which workloads may stand for each other.
    pub classes: Classes,
    /// What overrides the movability of workloads.
    pub rules: Rules,
}

/// A cluster as its files tell it.
#[derive(Debug)]
pub struct Inventory {
    /// Its name.
    pub name: String,
    /// The GPUs that can be planned for, node by node in the order of their indices.
    pub gpus: Vec<Gpu>,
    /// What runs, in the order of the GPUs, then what waits.
    pub workloads: Vec<Workload>,
    /// Workloads that keep apart, or belong together.
    pub groups: Vec<GroupSection>,
    /// What the instance file says of nodes, by name.
    pub hosts: BTreeMap<String, Host>,
    /// GPUs that are left out, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// What no file tells.
    pub unknown: Vec<Unknown>,
    /// What is worth knowing beyond that.
    pub remarks: Vec<String>,
    pub(crate) nodes: Vec<LockedNode>,
    pub(crate) budgets: Vec<LockedBudget>,
    pub(crate) files: Vec<String>,
}
