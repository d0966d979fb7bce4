//! What is set aside because it is wrong, so that the rest of a document can be read and judged too.
//!
//! A reader of a type stops at the first thing that it cannot read. That thing is then set aside, as if it were not there, and
//! the document is read once more. Long lists are taken up where they were left, so that all rounds together read them once.

use super::complaint::{Complaint, Kind, closest};
use super::tree::{Document, Form, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// What has more nodes is not read twice.
const LARGE: u32 = 64;

#[derive(Debug, Default)]
pub(super) struct Aside {
    /// Keys and items that are as if they were not there.
    removed: BTreeSet<NodeId>,
    /// Where to go on with what has been read in part, or ended.
    resumed: BTreeMap<NodeId, NodeId>,
}

impl Aside {
    /// Whether a key or an item is as if it were not there.
    pub fn has(&self, node: NodeId) -> bool {
        !self.removed.is_empty() && self.removed.contains(&node)
    }

    /// Where to go on with a list or an entry.
    pub fn start_of(&self, container: NodeId) -> Option<NodeId> {
        if self.resumed.is_empty() { None } else { self.resumed.get(&container).copied() }
    }

    /// Takes note that a key or an item could not be read, or something in it.
    pub fn add(&mut self, complaint: &mut Complaint, child: NodeId) {
        if !complaint.is_set_aside {
            self.removed.insert(child);
            complaint.is_set_aside = true;
        }
    }

    /// What comes before the child need not be read again.
    pub fn go_on_at(&mut self, document: &Document<'_>, container: NodeId, child: NodeId) {
        if is_large(document, container) {
            self.resumed.insert(container, child);
        }
    }

    /// What the fields before this one hold need not be read again.
    pub fn go_on_behind_fields_before(&mut self, document: &Document<'_>, entry: NodeId, key: NodeId) {
        for (_, value) in document.fields(entry).take_while(|&(before, _)| before != key) {
            let value = document.resolve(value);
            if document.form(value) != Form::Scalar && is_large(document, value) {
                self.resumed.insert(value, document.after(value));
            }
        }
    }

    /// Whether a complaint only follows from what has been set aside.
    pub fn explains(&self, document: &Document<'_>, complaint: &Complaint) -> bool {
        let Some(node) = complaint.spot.map(|spot| document.resolve(spot.node)) else { return false };
        match complaint.kind {
            _ if !self.touches(document, node) => false,
            Kind::MissingField(missing) => document.fields(node).any(|(key, _)| {
                let name = document.scalar_text(key).unwrap_or_default();
                name == missing || self.has(key) && closest(name, [missing]).is_some()
            }),
            _ => true,
        }
    }

    /// Whether anything in a node is set aside, or has been read before.
    fn touches(&self, document: &Document<'_>, node: NodeId) -> bool {
        let within = (Bound::Excluded(node), Bound::Excluded(document.after(node)));
        let is_in_part = self.resumed.contains_key(&node);
        is_in_part
            || self.removed.range(within).next().is_some()
            || self.resumed.range(within).next().is_some()
    }
}

fn is_large(document: &Document<'_>, node: NodeId) -> bool {
    document.after(node).0 - node.0 > LARGE
}
