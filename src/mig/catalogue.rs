//! The built-in catalogue of boards.

use std::sync::{Arc, LazyLock};

use ground::SourceText;
use serde::Deserialize;

use super::board::Board;
use super::geometry::GeometryError;
use super::instance::SliceStart;
use super::profile::{Engines, Profile};
use super::provenance::{Confidence, ConfidenceNotes, Provenance};

/// The boards that are compiled into the crate.
#[derive(Debug)]
pub struct Catalogue {
    boards: Vec<Arc<Board>>,
    unavailable: Vec<UnavailableBoard>,
}

/// A board that is known by name, but not well enough to place anything on it.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct UnavailableBoard {
    /// The board's name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// What is missing, and what a user can do about it.
    pub reason: String,
    /// Where the facts come from.
    pub provenance: Provenance,
}

/// The answer to a board's name.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// The board.
    Found(Arc<Board>),
    /// The catalogue knows the board, but not well enough.
    Unavailable {
        /// What is missing, and what a user can do about it.
        reason: String,
    },
    /// No board has this name, but those of several begin with it; they are told, one of each board.
    Several(Vec<String>),
    /// The catalogue has no such name.
    Unknown,
}

/// The built-in catalogue.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        Catalogue::parse(include_str!("boards.yaml")).expect("the built-in catalogue is checked by tests")
    });
    &CATALOGUE
}

impl Catalogue {
    /// The boards that can be used, in the order of the catalogue file.
    pub fn boards(&self) -> &[Arc<Board>] {
        &self.boards
    }

    /// The boards that are refused, each with the reason.
    pub fn unavailable(&self) -> &[UnavailableBoard] {
        &self.unavailable
    }

    /// The board with this name or alias. Upper and lower case are alike, so are blanks, hyphens and underscores, and a
    /// leading `NVIDIA` does not matter.
    pub fn find(&self, name: &str) -> Lookup {
        let wanted = comparable(name);
        let answers = |name: &str, aliases: &[String]| {
            comparable(name) == wanted || aliases.iter().any(|alias| comparable(alias) == wanted)
        };
        if let Some(board) = self.boards.iter().find(|board| answers(board.name(), board.aliases())) {
            return Lookup::Found(Arc::clone(board));
        }
        match self.unavailable.iter().find(|board| answers(&board.name, &board.aliases)) {
            Some(board) => Lookup::Unavailable { reason: board.reason.clone() },
            None => self.find_beginning(&wanted),
        }
    }

    /// The boards of which a name begins with these words.
    fn find_beginning(&self, wanted: &str) -> Lookup {
        let begins = |name: &&str| {
            comparable(name)
                .strip_prefix(wanted)
                .is_some_and(|rest| !wanted.is_empty() && rest.starts_with('-'))
        };
        let names = self.boards.iter().filter_map(|board| {
            std::iter::once(board.name()).chain(board.aliases().iter().map(String::as_str)).find(begins)
        });
        let names: Vec<String> = names.map(str::to_owned).collect();
        if names.len() > 1 { Lookup::Several(names) } else { Lookup::Unknown }
    }

    fn parse(text: &str) -> Result<Catalogue, CatalogueError> {
        let file: CatalogueFile = SourceText::new("boards.yaml", text)
            .parse()
            .map_err(|error| CatalogueError::Unreadable(error.to_string()))?;
        let mut catalogue = Catalogue { boards: Vec::new(), unavailable: Vec::new() };
        for entry in file.boards {
            catalogue.add(entry)?;
        }
        Ok(catalogue)
    }

    fn add(&mut self, entry: BoardEntry) -> Result<(), CatalogueError> {
        let provenance = Provenance {
            confidence: entry.confidence.level,
            confidence_notes: ConfidenceNotes {
                profiles: entry.confidence.profiles,
                ids: entry.confidence.ids,
                placements: entry.confidence.placements,
            },
            sources: entry.sources,
            notes: entry.notes,
            pci_device_ids: entry.pci_device_ids,
        };
        let (name, aliases) = (entry.name, entry.aliases);
        if let Some(reason) = entry.unavailable {
            self.unavailable.push(UnavailableBoard { name, aliases, reason, provenance });
            return Ok(());
        }
        let incomplete = || CatalogueError::Incomplete { board: name.clone() };
        let slots = entry.slots.ok_or_else(incomplete)?;
        let profiles = entry.profiles.into_iter().map(ProfileEntry::complete).collect::<Option<_>>();
        let profiles = profiles.ok_or_else(incomplete)?;
        let board = Board::assemble(name.clone(), aliases, slots, entry.compute, profiles, Some(provenance))
            .map_err(|error| CatalogueError::Geometry { board: name, error })?;
        self.boards.push(Arc::new(board));
        Ok(())
    }
}

fn comparable(name: &str) -> String {
    let words: Vec<String> = name
        .split(|letter: char| letter.is_whitespace() || "-_".contains(letter))
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let brand = usize::from(words.first().is_some_and(|word| word == "nvidia"));
    words[brand..].join("-")
}

#[derive(Debug, thiserror::Error)]
enum CatalogueError {
    #[error("{0}")]
    Unreadable(String),
    #[error("board `{board}` lacks slots, sizes or starts, yet no reason makes it unavailable")]
    Incomplete { board: String },
    #[error("board `{board}`: {error}")]
    Geometry { board: String, error: GeometryError },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    boards: Vec<BoardEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardEntry {
    name: String,
    aliases: Vec<String>,
    pci_device_ids: Vec<String>,
    slots: Option<u32>,
    compute: u32,
    #[serde(default)]
    unavailable: Option<String>,
    confidence: ConfidenceEntry,
    sources: Vec<String>,
    notes: Vec<String>,
    profiles: Vec<ProfileEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfidenceEntry {
    level: Confidence,
    profiles: String,
    ids: String,
    placements: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileEntry {
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    driver_id: Option<u32>,
    nvml_enum: Option<u32>,
    compute: u32,
    size: Option<u32>,
    starts: Option<Vec<u8>>,
    maximum: u32,
    multiprocessors: Option<u32>,
    memory_gib: Option<f64>,
    engines: Option<Engines>,
}

impl ProfileEntry {
    /// The profile, if its size and its starts are known.
    fn complete(self) -> Option<Profile> {
        Some(Profile {
            name: self.name,
            aliases: self.aliases,
            driver_id: self.driver_id,
            nvml_enum: self.nvml_enum,
            compute: self.compute,
            size: self.size?,
            starts: self.starts?.into_iter().map(SliceStart).collect(),
            maximum: self.maximum,
            multiprocessors: self.multiprocessors,
            memory_gib: self.memory_gib,
            engines: self.engines,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_words() {
        assert_eq!(comparable(" NVIDIA A100-SXM4-40GB"), comparable("a100 sxm4_40gb"));
        assert_ne!(comparable("A100-40GB"), comparable("A100-80GB"));
    }

    #[test]
    fn the_built_in_file_is_well_formed() {
        if let Err(error) = Catalogue::parse(include_str!("boards.yaml")) {
            panic!("{error}");
        }
    }

    #[test]
    fn an_incomplete_entry_needs_a_reason() {
        let text = "boards: [{name: X, aliases: [], pci_device_ids: [], slots: null, compute: 1, sources: [], notes: [], \
                    confidence: {level: captured, profiles: '', ids: '', placements: ''}, profiles: []}]";
        assert!(matches!(Catalogue::parse(text), Err(CatalogueError::Incomplete { board }) if board == "X"));
    }
}
