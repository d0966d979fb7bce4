//! Selectors of labels.

use crate::node::Node;
use ground::InputError;
use std::collections::BTreeMap;

/// Whom a selector selects.
#[derive(Clone, Debug)]
pub enum Selector {
    /// There is no selector.
    Nobody,
    /// Who fulfils all of these.
    All(Vec<Requirement>),
}

/// What a selector asks of a label.
#[derive(Clone, Debug)]
pub struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl Selector {
    pub(super) fn read(node: Node<'_>) -> Result<Self, InputError> {
        let mut all = Vec::new();
        for (key, value) in node.get("matchLabels").into_iter().flat_map(Node::fields) {
            let value = value.text().unwrap_or_default().to_owned();
            all.push(Requirement { key: key.to_owned(), operator: Operator::In(vec![value]) });
        }
        for expression in node.list("matchExpressions")? {
            let values = expression.list("values")?;
            let values = values.into_iter().filter_map(Node::text).map(str::to_owned).collect();
            let operator = match expression.needed_text("operator")? {
                "In" => Operator::In(values),
                "NotIn" => Operator::NotIn(values),
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    let message =
                        format!("`{other}` is not an operator of a selector. Export the budgets again.");
                    return Err(expression.needed("operator")?.error(message));
                }
            };
            all.push(Requirement { key: expression.needed_text("key")?.to_owned(), operator });
        }
        Ok(Selector::All(all))
    }

    /// Whether it selects who has these labels.
    pub fn selects(&self, labels: &BTreeMap<String, String>) -> bool {
        match self {
            Selector::Nobody => false,
            Selector::All(requirements) => requirements.iter().all(|requirement| {
                let label = labels.get(&requirement.key);
                match &requirement.operator {
                    Operator::In(values) => label.is_some_and(|label| values.contains(label)),
                    Operator::NotIn(values) => !label.is_some_and(|label| values.contains(label)),
                    Operator::Exists => label.is_some(),
                    Operator::DoesNotExist => label.is_none(),
                }
            }),
        }
    }
}
