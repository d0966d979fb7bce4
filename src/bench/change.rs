//! Why a row is not the one that a command asks for.

use ground::counted;
use std::collections::{BTreeMap, BTreeSet};

/// Files that are named where several changed.
const MOST_NAMED: usize = 3;

/// What tells a row from the one that a command asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The instance, or a file of the method's program, had another content.
    File(String),
    /// A version or a limit was another one, in words.
    Condition(String),
    /// The row is of a version that did not record what it was made with.
    Unrecorded,
    /// It failed, and what failed is to be made again.
    Failed,
    /// All rows of the method are to be made again.
    Remade(String),
    /// The method is not asked for.
    OtherMethod(String),
    /// The instance is not asked for.
    OtherInstance,
    /// The seed is not asked for.
    OtherSeed(u64),
}

/// Counts rows by what changed.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Number of rows and names of files, by everything else.
    groups: BTreeMap<Vec<Change>, (usize, BTreeSet<String>)>,
}

impl Changes {
    /// Counts a row.
    pub fn add(&mut self, changes: Vec<Change>) {
        let mut files = BTreeSet::new();
        let mut others = Vec::new();
        for change in changes {
            match change {
                Change::File(name) => drop(files.insert(name)),
                other => others.push(other),
            }
        }
        let (rows, names) = self.groups.entry(others).or_default();
        *rows += 1;
        names.extend(files);
    }

    /// Whether no row was counted.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Number of rows and why, the most rows first; `verb` is what became of them.
    pub fn in_words(&self, verb: &str) -> Vec<String> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, (rows, _))| std::cmp::Reverse(*rows));
        let line = |(others, (rows, files)): (&Vec<Change>, &(usize, BTreeSet<String>))| {
            let files = (!files.is_empty()).then(|| format!("{} changed", some(files)));
            let reasons: Vec<String> = files.into_iter().chain(others.iter().map(Change::in_words)).collect();
            format!("{} {verb}: {}", counted(rows, "row"), reasons.join(", "))
        };
        groups.into_iter().map(line).collect()
    }
}

impl Change {
    /// Whether nothing is asked for in the row's place.
    pub(super) fn is_unasked(&self) -> bool {
        matches!(self, Change::OtherMethod(_) | Change::OtherInstance | Change::OtherSeed(_))
    }

    fn in_words(&self) -> String {
        match self {
            Change::File(name) => format!("{name} changed"),
            Change::Condition(words) => words.clone(),
            Change::Unrecorded => "an earlier version of migopt did not record what made them".to_owned(),
            Change::Failed => "they had failed (--retry-failed)".to_owned(),
            Change::Remade(method) => format!("--remake {method}"),
            Change::OtherMethod(method) => format!("the last command did not run {method}"),
            Change::OtherInstance => "the last command did not name their instances".to_owned(),
            Change::OtherSeed(seed) => format!("the last command did not use seed {seed}"),
        }
    }
}

/// The first of some names, and how many more there are.
fn some(names: &BTreeSet<String>) -> String {
    let first: Vec<&str> = names.iter().take(MOST_NAMED).map(String::as_str).collect();
    match names.len().saturating_sub(MOST_NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
