//! How much may change.

/// How much may change at most; hosts have budgets of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Most running workloads that are moved: to another GPU or machine, or off their place.
    pub max_migrations: Option<u32>,
    /// Most running workloads that are not in their slot in the end.
    pub max_disrupted: Option<u32>,
}
