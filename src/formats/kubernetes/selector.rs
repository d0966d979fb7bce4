//! Selectors of labels.

use crate::node::Node;
use ground::InputError;
use std::collections::BTreeMap;

/// Whom a selector selects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    /// There is no selector.
    Nobody,
    /// Who fulfils all of these.
    All(Vec<Requirement>),
}

/// What a selector asks of a label.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    /// The label.
    pub key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
    /// Greater than a whole number: of nodes alone.
    Gt(i64),
    /// Less than a whole number: of nodes alone.
    Lt(i64),
}

impl Requirement {
    /// A label must have a value.
    pub fn equals(key: &str, value: &str) -> Self {
        Requirement { key: key.to_owned(), operator: Operator::In(vec![value.to_owned()]) }
    }

    pub(super) fn read(expression: Node<'_>) -> Result<Self, InputError> {
        let values = expression.list("values")?;
        let values: Vec<String> = values.into_iter().filter_map(Node::text).map(str::to_owned).collect();
        let number = || match values.as_slice() {
            [one] => one.parse().ok(),
            _ => None,
        };
        let operator = expression.needed("operator")?;
        let known = match expression.needed_text("operator")? {
            "In" => Some(Operator::In(values.clone())),
            "NotIn" => Some(Operator::NotIn(values.clone())),
            "Exists" => Some(Operator::Exists),
            "DoesNotExist" => Some(Operator::DoesNotExist),
            "Gt" => number().map(Operator::Gt),
            "Lt" => number().map(Operator::Lt),
            _ => None,
        };
        let known = known.ok_or_else(|| {
            let other = operator.text().unwrap_or_default();
            operator.error(format!(
                "`{other}` with these values is no operator of a selector. Export the objects again."
            ))
        })?;
        Ok(Requirement { key: expression.needed_text("key")?.to_owned(), operator: known })
    }

    /// Whether a label that has this value, or is not there, is as asked.
    pub fn allows(&self, label: Option<&str>) -> bool {
        let is_among =
            |values: &[String]| label.is_some_and(|label| values.iter().any(|value| value == label));
        let number = || label.and_then(|label| label.parse::<i64>().ok());
        match &self.operator {
            Operator::In(values) => is_among(values),
            Operator::NotIn(values) => !is_among(values),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::Gt(least) => number().is_some_and(|number| number > *least),
            Operator::Lt(most) => number().is_some_and(|number| number < *most),
        }
    }
}

impl Selector {
    pub(super) fn read(node: Node<'_>) -> Result<Self, InputError> {
        let mut all = Vec::new();
        for (key, value) in node.get("matchLabels").into_iter().flat_map(Node::fields) {
            all.push(Requirement::equals(key, value.text().unwrap_or_default()));
        }
        for expression in node.list("matchExpressions")? {
            all.push(Requirement::read(expression)?);
        }
        Ok(Selector::All(all))
    }

    /// Whether it selects who has these labels.
    pub fn selects(&self, labels: &BTreeMap<String, String>) -> bool {
        match self {
            Selector::Nobody => false,
            Selector::All(requirements) => requirements
                .iter()
                .all(|requirement| requirement.allows(labels.get(&requirement.key).map(String::as_str))),
        }
    }
}
