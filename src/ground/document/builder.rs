//! Building a tree node by node, whatever language the text is in.

use super::complaint::{Fault, shortened};
use super::scalar::{MERGE, Scalar, sign_and_magnitude};
use super::tag::Tag;
use super::tree::{Apart, Document, Form, Kind, LARGEST_EXTENT, Node, NodeId, Tree};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Lists and entries may be nested this deeply.
const DEEPEST: usize = 64;
/// Repeated by all aliases, a text may grow by so many pieces.
const MOST_REPEATED: usize = 1_000_000;
/// Entries with more fields are sorted to find what is given twice.
const FEW_FIELDS: usize = 16;

/// How much there is of something once its aliases are written out.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// Beginnings and ends of lists and entries, scalars, aliases.
    pieces: usize,
    /// Scalars, lists and entries.
    nodes: usize,
    /// Bytes of scalars.
    bytes: usize,
}

impl Size {
    fn since(self, before: Size) -> Size {
        Size {
            pieces: self.pieces - before.pieces,
            nodes: self.nodes - before.nodes,
            bytes: self.bytes - before.bytes,
        }
    }

    fn plus(self, more: Size) -> Size {
        Size {
            pieces: self.pieces.saturating_add(more.pieces),
            nodes: self.nodes.saturating_add(more.nodes),
            bytes: self.bytes.saturating_add(more.bytes),
        }
    }
}

/// What an alias repeats.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    node: NodeId,
    size: Size,
    /// How deeply lists and entries are nested in it.
    depth: usize,
}

/// A list or an entry whose end is still to come.
#[derive(Debug)]
struct Open {
    node: NodeId,
    kind: Kind,
    /// The key of an entry that waits for its value.
    key: Option<NodeId>,
    anchor: usize,
    before: Size,
    /// How deeply lists and entries are nested in it.
    depth: usize,
    /// Values of its keys `<<`.
    merged: Vec<NodeId>,
    /// Number of its keys.
    keys: usize,
}

/// A tree in the making.
pub(super) struct Builder<'t> {
    text: &'t str,
    tree: Tree,
    open: Vec<Open>,
    /// By number from 1, as a parser gives them.
    anchors: Vec<Option<Anchor>>,
    size: Size,
    repeated: usize,
    added_by_merges: usize,
    limit: usize,
}

/// A scalar that the builder is given.
pub(super) struct Given<'s> {
    /// Where it begins, at its quotes if it has some.
    pub start: usize,
    pub text: &'s str,
    pub is_plain: bool,
    /// Whether the text of the file has it so, behind the quotes if it has some.
    pub is_verbatim: bool,
    pub anchor: usize,
    pub tag: Tag,
}

impl<'t> Builder<'t> {
    pub fn new(text: &'t str) -> Result<Self, Fault> {
        if u32::try_from(text.len()).is_err() {
            return Err(Fault::new(0, "the file is larger than 4 GiB. Split it."));
        }
        Ok(Builder {
            text,
            tree: Tree::default(),
            open: Vec::new(),
            anchors: Vec::new(),
            size: Size::default(),
            repeated: 0,
            added_by_merges: 0,
            limit: text.len().max(1_000_000),
        })
    }

    /// Whether the outermost node is complete.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() && !self.tree.nodes.is_empty()
    }

    /// The tree; of nothing, a tree with one node that says so.
    pub fn finish(mut self) -> Tree {
        if self.tree.nodes.is_empty() {
            self.tree.is_empty = true;
            self.tree.nodes.push(Node::new(0, Kind::Plain, 0));
        }
        self.tree.nodes.shrink_to_fit();
        self.tree
    }

    /// Adds a single value.
    pub fn scalar(&mut self, given: Given<'_>) -> Result<(), Fault> {
        let Given { start, text, is_plain, is_verbatim, anchor, tag } = given;
        self.fits(&tag, start, Form::Scalar)?;
        let size = Size { pieces: 1, nodes: 1, bytes: text.len() };
        self.grow(start, size)?;
        let is_merge =
            is_plain && text == MERGE && matches!(tag, Tag::None) || text == MERGE && tag == Tag::Merge;
        let node = if is_merge && self.waits_for_key() {
            Node::new(start as u32, Kind::Merge, 0)
        } else if is_verbatim && text.len() <= LARGEST_EXTENT {
            Node::new(start as u32, if is_plain { Kind::Plain } else { Kind::Quoted }, text.len())
        } else {
            let number = self.apart().push(text).ok_or_else(|| too_large(start))?;
            Node::new(start as u32, if is_plain { Kind::PlainApart } else { Kind::QuotedApart }, number)
        };
        let id = self.push(node, tag)?;
        self.set_anchor(anchor, Anchor { node: id, size, depth: 0 });
        self.completed(id);
        Ok(())
    }

    /// Begins a list or an entry.
    pub fn begin(&mut self, start: usize, form: Form, anchor: usize, tag: Tag) -> Result<(), Fault> {
        self.fits(&tag, start, form)?;
        if self.waits_for_key() {
            let what = if form == Form::List { "a list" } else { "an entry with fields" };
            let message = format!("expected the name of a field, found {what}. Write `name: value`.");
            return Err(Fault::new(start, message));
        }
        let before = self.size;
        self.grow(start, Size { pieces: 1, nodes: 1, bytes: 0 })?;
        self.deepen(start, 1)?;
        let kind = if form == Form::List { Kind::List } else { Kind::Entry };
        let node = self.push(Node::new(start as u32, kind, 0), tag)?;
        self.open.push(Open { node, kind, key: None, anchor, before, depth: 1, merged: Vec::new(), keys: 0 });
        Ok(())
    }

    /// Ends the innermost list or entry, which the parser has checked to be there.
    pub fn end(&mut self) -> Result<(), Fault> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let start = self.tree.nodes[open.node.index()].start();
        self.grow(start, Size { pieces: 1, nodes: 0, bytes: 0 })?;
        self.close(open.node);
        if open.kind == Kind::Entry {
            self.no_field_twice(open.node, open.keys)?;
            self.add_merged(open.node, &open.merged)?;
        }
        let anchor = Anchor { node: open.node, size: self.size.since(open.before), depth: open.depth };
        self.set_anchor(open.anchor, anchor);
        if let Some(parent) = self.open.last_mut() {
            parent.depth = parent.depth.max(1 + open.depth);
        }
        self.completed(open.node);
        Ok(())
    }

    /// Adds what an anchor marks, once more.
    pub fn alias(&mut self, start: usize, anchor: usize) -> Result<(), Fault> {
        if self.open.iter().any(|open| open.anchor == anchor) {
            let message = "the alias is inside what it repeats. Write the entry out.";
            return Err(Fault::new(start, message));
        }
        let Some(&Some(Anchor { node, size, depth })) = self.anchors.get(anchor) else {
            return Err(unknown_alias(self.text, start));
        };
        self.repeated = self.repeated.saturating_add(size.pieces);
        if self.repeated > MOST_REPEATED {
            return Err(too_much_repeated(start));
        }
        self.grow(start, size.plus(Size { pieces: 1, nodes: 0, bytes: 0 }))?;
        self.deepen(start, depth)?;
        if self.waits_for_key() && self.document().form(node) != Form::Scalar {
            let message =
                "expected the name of a field, found an alias of a list or an entry. Write `name: value`.";
            return Err(Fault::new(start, message));
        }
        let id = self.push(Node::new(start as u32, Kind::Alias, node.index()), Tag::None)?;
        self.completed(id);
        Ok(())
    }

    fn document(&self) -> Document<'_> {
        Document::new(self.text, &self.tree)
    }

    fn apart(&mut self) -> &mut Apart {
        &mut self.tree.apart
    }

    fn waits_for_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.kind == Kind::Entry && open.key.is_none())
    }

    fn push(&mut self, node: Node, tag: Tag) -> Result<NodeId, Fault> {
        if self.tree.nodes.len() >= LARGEST_EXTENT {
            return Err(too_large(node.start()));
        }
        let id = NodeId::at(self.tree.nodes.len());
        if tag == Tag::None {
            self.tree.nodes.push(node);
        } else {
            self.tree.nodes.push(node.tagged());
            self.tree.tags.insert(id, tag);
        }
        Ok(id)
    }

    /// Writes into a list or an entry where it ends.
    fn close(&mut self, id: NodeId) {
        let end = self.tree.nodes.len();
        let node = &mut self.tree.nodes[id.index()];
        let closed = Node::new(node.start() as u32, node.kind(), end);
        *node = if self.tree.tags.contains_key(&id) { closed.tagged() } else { closed };
    }

    /// Takes note of a node that is the next key, value or item.
    fn completed(&mut self, id: NodeId) {
        let Some(open) = self.open.last_mut() else { return };
        if open.kind != Kind::Entry {
            return;
        }
        match open.key.take() {
            None => {
                open.key = Some(id);
                open.keys += 1;
            }
            Some(key) if self.tree.nodes[key.index()].kind() == Kind::Merge => open.merged.push(id),
            Some(_) => {}
        }
    }

    fn set_anchor(&mut self, number: usize, anchor: Anchor) {
        if number > 0 {
            if self.anchors.len() <= number {
                self.anchors.resize(number + 1, None);
            }
            self.anchors[number] = Some(anchor);
        }
    }

    fn fits(&self, tag: &Tag, start: usize, form: Form) -> Result<(), Fault> {
        if tag.fits(form == Form::List, form == Form::Entry) {
            return Ok(());
        }
        Err(Fault::new(start, "the tag (`!…`) before it does not fit what follows. Leave it out."))
    }

    fn grow(&mut self, start: usize, size: Size) -> Result<(), Fault> {
        self.size = self.size.plus(size);
        let Size { pieces, nodes, bytes } = self.size;
        if pieces / 2 > self.limit || nodes > self.limit || bytes / 16 > self.limit {
            return Err(too_much_repeated(start));
        }
        Ok(())
    }

    fn deepen(&mut self, start: usize, depth: usize) -> Result<(), Fault> {
        if self.open.len() + depth > DEEPEST {
            return Err(nested_too_deeply(start));
        }
        if let Some(open) = self.open.last_mut() {
            open.depth = open.depth.max(1 + depth);
        }
        Ok(())
    }

    fn no_field_twice(&self, entry: NodeId, keys: usize) -> Result<(), Fault> {
        let document = self.document();
        let keys_of = || document.fields(entry).map(|(key, _)| (key, Identity::of(&document, key)));
        let twice = if keys <= FEW_FIELDS {
            keys_of().enumerate().find_map(|(number, (key, identity))| {
                keys_of().take(number).any(|(_, before)| before == identity).then_some(key)
            })
        } else {
            let mut all: Vec<_> = keys_of().map(|(key, identity)| (hash_of(&identity), key)).collect();
            all.sort_unstable();
            let alike = all.chunk_by(|left, right| left.0 == right.0).filter(|alike| alike.len() > 1);
            alike.filter_map(|alike| first_repeated(&document, alike)).min()
        };
        let Some(key) = twice else { return Ok(()) };
        let name = shortened(document.scalar_text(key).unwrap_or_default());
        let message = format!("the field `{name}` is given twice in this entry. Keep one.");
        Err(Fault::new(document.start(key), message))
    }

    /// Repeats at the end of an entry the fields that its keys `<<` bring and that it does not have itself.
    fn add_merged(&mut self, entry: NodeId, values: &[NodeId]) -> Result<(), Fault> {
        if values.is_empty() {
            return Ok(());
        }
        let mut sources = Vec::new();
        for &value in values {
            self.sources_of_merge(value, None, &mut sources)?;
        }
        let mut added = Vec::new();
        {
            let document = self.document();
            let own = document.fields(entry).map(|(key, _)| Identity::of(&document, key));
            let mut known: BTreeSet<Identity<'_>> = own.collect();
            for &(source, at) in &sources {
                let fields = document.fields(source);
                added.extend(
                    fields
                        .filter(|&(key, _)| known.insert(Identity::of(&document, key)))
                        .flat_map(|(key, value)| [(key, at), (value, at)]),
                );
            }
        }
        self.added_by_merges += added.len();
        for (node, at) in added {
            let target = self.document().resolve(node);
            let start = self.tree.nodes[at.unwrap_or(target).index()].start();
            if self.added_by_merges > 2 * self.limit {
                return Err(too_much_repeated(start));
            }
            self.push(Node::new(start as u32, Kind::Alias, target.index()), Tag::None)?;
        }
        self.close(entry);
        Ok(())
    }

    /// The entries that a value of `<<` holds, and the alias by which it names them, if any.
    fn sources_of_merge(
        &self,
        value: NodeId,
        alias: Option<NodeId>,
        into: &mut Vec<(NodeId, Option<NodeId>)>,
    ) -> Result<(), Fault> {
        let document = self.document();
        let is_alias = document.node(value).kind() == Kind::Alias;
        let alias = alias.or(is_alias.then_some(value));
        match document.form(value) {
            Form::Entry => into.push((value, alias)),
            Form::List => {
                for item in document.items(value) {
                    self.sources_of_merge(item, alias, into)?;
                }
            }
            Form::Scalar if document.is_null(value) => {}
            Form::Scalar => {
                let message = "`<<` repeats the fields of entries, found a single value. Name an entry, as with `*name`.";
                return Err(Fault::new(document.start(value), message));
            }
        }
        Ok(())
    }
}

fn hash_of(identity: &Identity<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish()
}

/// The first of some keys, in the order of the text, that repeats one before it.
fn first_repeated(document: &Document<'_>, keys: &[(u64, NodeId)]) -> Option<NodeId> {
    let identity = |&(_, key): &(u64, NodeId)| Identity::of(document, key);
    let is_repeated = |number: usize| {
        let own = identity(&keys[number]);
        keys[..number].iter().any(|before| identity(before) == own)
    };
    (1..keys.len()).find(|&number| is_repeated(number)).map(|number| keys[number].1)
}

/// What a key is compared by: whole numbers by their value, all else by its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Identity<'t> {
    Whole(bool, u128),
    Null(&'t str),
    Text(&'t str),
    Tagged(&'t Tag, &'t str),
}

impl<'t> Identity<'t> {
    fn of(document: &Document<'t>, key: NodeId) -> Self {
        let Some(Scalar { text, is_plain, tag }) = document.scalar(key) else {
            return Identity::Text("");
        };
        let number = || sign_and_magnitude(text).map(|(sign, size)| Identity::Whole(sign && size > 0, size));
        match tag {
            Tag::None if is_plain => {
                let is_like_a_number =
                    text.starts_with(|first: char| first.is_ascii_digit() || "+- \t".contains(first));
                let number = if is_like_a_number { number() } else { None };
                let is_null = Scalar { text, is_plain, tag }.looks_null();
                number.unwrap_or(if is_null { Identity::Null(text) } else { Identity::Text(text) })
            }
            Tag::None | Tag::Text | Tag::Bare | Tag::Merge => Identity::Text(text),
            Tag::Int => number().unwrap_or(Identity::Tagged(tag, text)),
            Tag::Null => Identity::Null(text),
            tag => Identity::Tagged(tag, text),
        }
    }
}

/// The complaint about an alias of which there is no anchor.
pub(super) fn unknown_alias(text: &str, start: usize) -> Fault {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.find(|end: char| end.is_whitespace() || ",]}".contains(end)).unwrap_or(rest.len());
    let name = shortened(&rest[..end]);
    let message = format!(
        "the alias `{name}` has no anchor. Mark an entry above with `&name` to repeat it with `*name`."
    );
    Fault::new(start, message)
}

/// The complaint about too many brackets, or too much indentation.
pub(super) fn nested_too_deeply(start: usize) -> Fault {
    let message = "entries are nested too deeply here. No format of this tool needs more than a few levels.";
    Fault::new(start, message)
}

fn too_much_repeated(start: usize) -> Fault {
    let message = "with its aliases (`*name`) written out, the text is too large. Write the entries out, or use `count` and `replicas`.";
    Fault::new(start, message)
}

fn too_large(start: usize) -> Fault {
    Fault::new(start, "the file has more entries than can be read. Split it.")
}
