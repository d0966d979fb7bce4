//! All contents met so far.

use super::part::{Column, Part};
use std::collections::BTreeSet;

/// A content of a part.
pub struct Entry<C> {
    /// The part.
    pub part: usize,
    /// What it takes.
    pub content: C,
    /// Its cost and terms.
    pub column: Column,
}

/// All contents met so far, in the order in which they were met.
pub struct Pool<C> {
    /// The contents.
    pub entries: Vec<Entry<C>>,
    seen: BTreeSet<(usize, C)>,
}

impl<C: Clone + Ord> Pool<C> {
    /// The plain contents of all parts, and those of some solution.
    pub fn new<P: Part<Content = C>>(parts: &[P], start: Vec<(usize, C)>) -> Self {
        let mut pool = Pool { entries: Vec::new(), seen: BTreeSet::new() };
        for (part, about) in parts.iter().enumerate() {
            pool.add(parts, part, about.plain());
        }
        for (part, content) in start {
            pool.add(parts, part, content);
        }
        pool
    }

    /// Adds a content; whether it is new.
    pub fn add<P: Part<Content = C>>(&mut self, parts: &[P], part: usize, content: C) -> bool {
        if !self.seen.insert((part, content.clone())) {
            return false;
        }
        let column = parts[part].column(&content);
        self.entries.push(Entry { part, content, column });
        true
    }

    /// Whether a content has been met.
    pub fn has(&self, part: usize, content: &C) -> bool {
        self.seen.contains(&(part, content.clone()))
    }
}
