//! Pod disruption budgets.

use super::metadata::name_of;
use super::selector::Selector;
use crate::node::Node;
use ground::InputError;

/// How many pods of a group may be away.
#[derive(Clone, Debug)]
pub struct DisruptionBudget {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Whom it protects.
    pub selector: Selector,
    /// How many may be evicted now; `None` as long as no one has counted.
    pub allowed: Option<u32>,
}

impl DisruptionBudget {
    pub(super) fn read(node: Node<'_>) -> Result<Self, InputError> {
        let (namespace, name) = name_of(node)?;
        let selector = node.at(&["spec", "selector"]).map(Selector::read).transpose()?;
        let status = node.get("status");
        let allowed = status.map(|status| status.number("disruptionsAllowed")).transpose()?.flatten();
        Ok(DisruptionBudget { namespace, name, selector: selector.unwrap_or(Selector::Nobody), allowed })
    }

    /// Namespace and name.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}
