//! Metadata that all objects have.

use crate::node::Node;
use ground::InputError;
use std::collections::BTreeMap;

/// Name and namespace of an object.
pub(crate) fn name_of(node: Node<'_>) -> Result<(String, String), InputError> {
    let metadata = node.needed("metadata")?;
    let namespace = metadata.text_of("namespace").unwrap_or_default();
    Ok((namespace.to_owned(), metadata.needed_text("name")?.to_owned()))
}

/// Labels or annotations.
pub(crate) fn pairs(node: Node<'_>, field: &str) -> BTreeMap<String, String> {
    let fields = node.at(&["metadata", field]).into_iter().flat_map(Node::fields);
    fields.filter_map(|(name, value)| Some((name.to_owned(), value.text()?.to_owned()))).collect()
}
