//! Nodes, and the way to them.

use super::tree::NodeId;

/// A node on the way to which an alias may have been followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub node: NodeId,
    /// The first alias on the way, the node itself included.
    pub alias: Option<NodeId>,
}

impl Spot {
    pub fn of(node: NodeId) -> Self {
        Spot { node, alias: None }
    }
}
