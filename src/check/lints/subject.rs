//! What remarks are about.

use crate::configuration::{Configuration, Entry};
use crate::selection::{Match, matches};
use crate::state::{Node, State};
use std::collections::BTreeSet;

/// A configuration beside the nodes on which it is applied.
pub struct Subject<'a> {
    /// The configuration.
    pub configuration: &'a Configuration,
    /// The nodes.
    pub state: &'a State,
    /// The matches on each node.
    pub(super) matches: Vec<Vec<Match>>,
    /// Whether the nodes are known with what they have.
    pub is_known: bool,
}

impl<'a> Subject<'a> {
    /// A configuration beside the nodes on which it is applied.
    pub fn new(configuration: &'a Configuration, state: &'a State, is_known: bool) -> Self {
        let matches = state.nodes.iter().map(|node| matches(configuration, node)).collect();
        Subject { configuration, state, matches, is_known }
    }

    /// The nodes, each with what matches there.
    pub fn nodes(&self) -> impl Iterator<Item = (&'a Node, &[Match])> {
        self.state.nodes.iter().zip(self.matches.iter().map(Vec::as_slice))
    }

    /// The entry of a match.
    pub(super) fn entry(&self, found: &Match) -> &'a Entry {
        &self.configuration.entries[found.entry]
    }

    /// The entries that match something, each with its position.
    pub(super) fn matched_entries(&self) -> impl Iterator<Item = &'a Entry> {
        let positions: BTreeSet<usize> = self.matches.iter().flatten().map(|found| found.entry).collect();
        positions.into_iter().map(|position| &self.configuration.entries[position])
    }
}
