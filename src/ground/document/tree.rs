//! The nodes of a document, in the order of the text, eight bytes each.

use super::scalar::{self, Scalar};
use super::tag::Tag;
use std::collections::BTreeMap;

/// Bits of a node's second word that say what it is.
const KIND_BITS: u32 = 4;
/// The bit of a node that has a tag.
const TAGGED: u32 = 1 << 3;
/// Larger extents do not fit into a node.
pub(super) const LARGEST_EXTENT: usize = (1 << (32 - KIND_BITS)) - 1;

/// Where a node stands in its tree. It says nothing about another tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The outermost node.
    pub const ROOT: NodeId = NodeId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn at(index: usize) -> Self {
        NodeId(u32::try_from(index).expect("a tree has fewer nodes than its extents can tell"))
    }

    fn next(self) -> Self {
        NodeId(self.0 + 1)
    }
}

/// What a node is, and what its extent means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    /// A scalar without quotes; the extent is its length in the text.
    Plain,
    /// A scalar in quotes without escapes; the extent is its length in the text.
    Quoted,
    /// A plain scalar that the text does not have verbatim; the extent is its number among those.
    PlainApart,
    /// A quoted or block scalar that the text does not have verbatim; the extent is its number among those.
    QuotedApart,
    /// A list; the extent is the node after its last one.
    List,
    /// An entry with fields; the extent is the node after its last one.
    Entry,
    /// Something that stands elsewhere; the extent is that node.
    Alias,
    /// The key `<<`, whose value's fields the entry repeats at its end.
    Merge,
}

const KINDS: [Kind; 8] = [
    Kind::Plain,
    Kind::Quoted,
    Kind::PlainApart,
    Kind::QuotedApart,
    Kind::List,
    Kind::Entry,
    Kind::Alias,
    Kind::Merge,
];

/// A place in the text, and what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    start: u32,
    word: u32,
}

impl Node {
    pub fn new(start: u32, kind: Kind, extent: usize) -> Self {
        assert!(extent <= LARGEST_EXTENT, "the builder checks extents");
        Node { start, word: ((extent as u32) << KIND_BITS) | kind as u32 }
    }

    pub fn tagged(self) -> Self {
        Node { word: self.word | TAGGED, ..self }
    }

    pub fn kind(self) -> Kind {
        KINDS[(self.word & (TAGGED - 1)) as usize]
    }

    pub fn extent(self) -> usize {
        (self.word >> KIND_BITS) as usize
    }

    pub fn start(self) -> usize {
        self.start as usize
    }

    fn is_tagged(self) -> bool {
        self.word & TAGGED != 0
    }
}

/// Scalars that the text does not have verbatim, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Apart {
    all: String,
    ends: Vec<u32>,
}

impl Apart {
    /// Keeps a scalar and gives its number; `None` when there is no more room.
    pub fn push(&mut self, scalar: &str) -> Option<usize> {
        self.all.push_str(scalar);
        self.ends.push(u32::try_from(self.all.len()).ok()?);
        Some(self.ends.len() - 1).filter(|&number| number <= LARGEST_EXTENT)
    }

    fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[number] as usize]
    }
}

/// The nodes of a document: each before what it holds, keys before their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) apart: Apart,
    pub(super) tags: BTreeMap<NodeId, Tag>,
    /// Whether the text has nothing but blanks and comments.
    pub(super) is_empty: bool,
}

/// What a node is when aliases are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A single value.
    Scalar,
    /// A list.
    List,
    /// An entry with fields.
    Entry,
}

/// A tree together with the text that it was read from.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    pub(super) text: &'t str,
    pub(super) tree: &'t Tree,
}

impl<'t> Document<'t> {
    /// A tree with its text.
    pub fn new(text: &'t str, tree: &'t Tree) -> Self {
        Document { text, tree }
    }

    /// Number of nodes.
    pub fn size(&self) -> usize {
        self.tree.nodes.len()
    }

    pub(super) fn node(&self, id: NodeId) -> Node {
        self.tree.nodes[id.index()]
    }

    /// Where a node begins in the text, in bytes.
    pub fn start(&self, id: NodeId) -> usize {
        self.node(id).start()
    }

    /// The node itself, or the one that an alias repeats.
    pub fn resolve(&self, id: NodeId) -> NodeId {
        let mut id = id;
        while self.node(id).kind() == Kind::Alias {
            id = NodeId::at(self.node(id).extent());
        }
        id
    }

    /// The node after this one and all that it holds.
    pub(super) fn after(&self, id: NodeId) -> NodeId {
        match self.node(id).kind() {
            Kind::List | Kind::Entry => NodeId::at(self.node(id).extent()),
            _ => id.next(),
        }
    }

    /// What the node is, aliases followed.
    pub fn form(&self, id: NodeId) -> Form {
        match self.node(self.resolve(id)).kind() {
            Kind::List => Form::List,
            Kind::Entry => Form::Entry,
            _ => Form::Scalar,
        }
    }

    /// The scalar of a node, aliases followed; `None` of a list or an entry.
    pub(super) fn scalar(&self, id: NodeId) -> Option<Scalar<'t>> {
        let id = self.resolve(id);
        let node = self.node(id);
        let (start, extent) = (node.start(), node.extent());
        let (text, is_plain) = match node.kind() {
            Kind::Plain => (&self.text[start..start + extent], true),
            Kind::Quoted => (&self.text[start + 1..start + 1 + extent], false),
            Kind::PlainApart => (self.tree.apart.get(extent), true),
            Kind::QuotedApart => (self.tree.apart.get(extent), false),
            Kind::Merge => (scalar::MERGE, true),
            Kind::List | Kind::Entry | Kind::Alias => return None,
        };
        Some(Scalar { text, is_plain, tag: self.tag(id) })
    }

    /// Whether a node stands for nothing, aliases followed.
    pub fn is_null(&self, id: NodeId) -> bool {
        self.scalar(id).is_some_and(|scalar| scalar.is_null())
    }

    /// Whether there is nothing in the text where a value could be.
    pub(super) fn is_left_out(&self, id: NodeId) -> bool {
        // The parser makes a `~` of it.
        let start = self.start(self.resolve(id));
        let is_in_text = self.text[start..].starts_with('~');
        self.scalar(id).is_some_and(|scalar| {
            scalar.is_plain && (scalar.text.is_empty() || scalar.text == "~" && !is_in_text)
        })
    }

    /// The text of a single value, aliases followed; `None` of a list or an entry.
    pub fn scalar_text(&self, id: NodeId) -> Option<&'t str> {
        self.scalar(id).map(|scalar| scalar.text)
    }

    pub(super) fn tag(&self, id: NodeId) -> &'t Tag {
        if self.node(id).is_tagged() { self.tree.tags.get(&id).unwrap_or(&Tag::None) } else { &Tag::None }
    }

    /// The keys and values of an entry, aliases followed; nothing of other nodes.
    pub fn fields(&self, id: NodeId) -> Fields<'t> {
        let id = self.resolve(id);
        let (next, end) = match self.node(id).kind() {
            Kind::Entry => (id.next(), self.after(id)),
            _ => (id, id),
        };
        Fields { document: *self, next, end }
    }

    /// The items of a list, aliases followed; nothing of other nodes.
    pub fn items(&self, id: NodeId) -> Items<'t> {
        let id = self.resolve(id);
        let (next, end) = match self.node(id).kind() {
            Kind::List => (id.next(), self.after(id)),
            _ => (id, id),
        };
        Items { document: *self, next, end }
    }

    /// Key and value of a field of an entry.
    pub fn field(&self, id: NodeId, name: &str) -> Option<(NodeId, NodeId)> {
        self.fields(id).find(|&(key, _)| self.scalar_text(key) == Some(name))
    }

    /// Key and value of a field of an entry, or else of the first entry below it that has the field.
    pub fn field_within(&self, id: NodeId, name: &str) -> Option<(NodeId, NodeId)> {
        let has_name = |&(key, _): &(NodeId, NodeId)| self.scalar_text(key) == Some(name);
        self.field(id, name)
            .or_else(|| self.entries_within(id).find_map(|entry| self.fields(entry).find(has_name)))
    }

    /// The first field with this name and value in a node or below it, in the order of the text.
    pub fn field_with_value(&self, id: NodeId, name: &str, value: &str) -> Option<(NodeId, NodeId)> {
        self.entries_within(id).flat_map(|entry| self.fields(entry)).find(|&(key, found)| {
            self.scalar_text(key) == Some(name) && self.scalar_text(found) == Some(value)
        })
    }

    /// All entries in a node, in the order of the text; those of the node that an alias repeats.
    fn entries_within(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let id = self.resolve(id);
        (id.0..self.after(id).0).map(NodeId).filter(|&id| self.node(id).kind() == Kind::Entry)
    }

    /// Where a reader looks for what is wrong with a field: at the value if it begins beside the key, else at the key.
    pub fn place_of_value(&self, key: NodeId, value: NodeId) -> NodeId {
        let (start, end) = (self.start(key), self.start(value));
        let is_beside = self.text.get(start..end).is_some_and(|between| !between.contains(['\n', '\r']));
        if is_beside && !self.is_left_out(value) { value } else { key }
    }

    /// Whether the text has nothing but blanks and comments.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty
    }
}

/// The fields of an entry.
#[derive(Clone, Debug)]
pub struct Fields<'t> {
    document: Document<'t>,
    pub(super) next: NodeId,
    end: NodeId,
}

impl Iterator for Fields<'_> {
    type Item = (NodeId, NodeId);

    fn next(&mut self) -> Option<Self::Item> {
        while self.next < self.end {
            let key = self.next;
            let value = key.next();
            self.next = self.document.after(value);
            if self.document.node(key).kind() != Kind::Merge {
                return Some((key, value));
            }
        }
        None
    }
}

/// The items of a list.
#[derive(Clone, Debug)]
pub struct Items<'t> {
    document: Document<'t>,
    pub(super) next: NodeId,
    end: NodeId,
}

impl Iterator for Items<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let item = self.next;
        self.next = self.document.after(item);
        Some(item)
    }
}
