//! What an instance file says of a node.

use cluster::Labels;
use ground::Amount;

/// What an instance file says of a node beside its GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// CPU cores that are left for workloads on GPUs, where they may not suffice.
    pub cpu: Option<Amount>,
    /// Main memory in GiB that is left for them, where it may not suffice.
    pub memory: Option<Amount>,
    /// The labels that workloads name.
    pub labels: Labels,
}
