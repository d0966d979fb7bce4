//! What few workloads have, apart from the rest: a cluster may have millions of workloads.

use super::{BudgetIndex, GroupIndex, NodeSetIndex, Workload};
use ground::Amount;

/// What few workloads have. Replicas share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Particulars {
    /// The disruption budgets that it is under, in ascending order.
    pub budgets: Vec<BudgetIndex>,
    /// The groups to which it belongs, in ascending order.
    pub groups: Vec<GroupIndex>,
    /// The nodes on which it may be; all, where there is none.
    pub nodes: Option<NodeSetIndex>,
    /// What placing it earns, where the instance says so.
    pub reward: Option<Amount>,
    /// What moving it costs, where the instance says so.
    pub migration_cost: Option<Amount>,
    /// What placing it counts, where the instance says so.
    pub acceptance_weight: Option<Amount>,
    /// How much its changes count, where the instance says so.
    pub migration_weight: Option<Amount>,
}

static NONE: Particulars = Particulars {
    budgets: Vec::new(),
    groups: Vec::new(),
    nodes: None,
    reward: None,
    migration_cost: None,
    acceptance_weight: None,
    migration_weight: None,
};

impl Workload {
    /// What few workloads have.
    pub fn particulars(&self) -> &Particulars {
        self.particulars.as_deref().unwrap_or(&NONE)
    }
}
