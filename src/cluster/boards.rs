//! Boards by name: those that the file describes and those of the catalogue.

use ground::did_you_mean;
use ground::{Complaints, InputError, Located, SourceText};
use mig::{Board, Geometry, GeometryError, Lookup, catalogue};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The boards whose geometry an instance file gives, by name in lower case.
#[derive(Default)]
pub struct OwnBoards {
    boards: BTreeMap<String, Arc<Board>>,
    /// Names of those that break a rule.
    refused: BTreeSet<String>,
}

impl OwnBoards {
    /// Builds the boards of the section `boards`. Complains of a geometry that breaks a rule, and of two boards that differ in upper
    /// and lower case alone.
    pub fn read(
        source: &SourceText,
        boards: &BTreeMap<String, Located<Geometry>>,
        complaints: &mut Complaints,
    ) -> Self {
        let mut own = OwnBoards::default();
        for (board, geometry) in boards {
            let built = Board::from_geometry(board, &geometry.value)
                .map_err(|error| bad_geometry(source, board, geometry, &error));
            let Some(built) = complaints.keep(built) else {
                own.refused.insert(board.to_lowercase());
                continue;
            };
            if let Some(other) = own.boards.insert(board.to_lowercase(), Arc::new(built)) {
                let message = format!(
                    "boards.{board}: board names ignore case, so this is `{}` again. Rename one.",
                    other.name()
                );
                complaints.add(source.error_at(geometry.at, None, message));
            }
        }
        own
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Board>> + Clone {
        self.boards.values()
    }

    /// Whether the file has a board of this name, of which it was told that it breaks a rule.
    pub fn has_refused(&self, name: &str) -> bool {
        self.refused.contains(&name.to_lowercase())
    }

    /// The board of this name: one of these, or of the catalogue.
    ///
    /// # Errors
    /// When there is none, or several, or it is not known well enough.
    pub fn find(&self, name: &str) -> Result<Arc<Board>, String> {
        if let Some(board) = self.boards.get(&name.to_lowercase()) {
            return Ok(board.clone());
        }
        match catalogue().find(name) {
            Lookup::Found(board) => Ok(board),
            Lookup::Unavailable { reason } => {
                Err(format!("board \"{name}\" cannot be used: {reason} (under `boards`)."))
            }
            Lookup::Several(names) => Err(format!(
                "board \"{name}\" comes in several versions: {}? Name the one you have.",
                names.join(" or ")
            )),
            Lookup::Unknown => {
                let known: Vec<&str> =
                    self.all().chain(catalogue().boards()).map(|board| board.name()).collect();
                Err(format!(
                    "board \"{name}\" is not known{}. Known boards: {}. Or describe its geometry under `boards`.",
                    did_you_mean(name, known.iter().copied()),
                    known.join(", ")
                ))
            }
        }
    }
}

fn bad_geometry(
    source: &SourceText,
    board: &str,
    geometry: &Located<Geometry>,
    error: &GeometryError,
) -> InputError {
    let message = format!("boards.{board}: {error}.");
    let profile = match error {
        GeometryError::Size { profile, .. }
        | GeometryError::ProfileCompute { profile, .. }
        | GeometryError::NoStarts { profile }
        | GeometryError::DuplicateStart { profile, .. }
        | GeometryError::BeyondBoard { profile, .. }
        | GeometryError::Maximum { profile }
        | GeometryError::EnginesMissing { profile } => Some(profile),
        GeometryError::DuplicateName { name } => Some(name),
        _ => None,
    };
    match profile {
        Some(profile) => source.error_at_value(geometry.at, "name", profile, message),
        None => source.error_at(geometry.at, None, message),
    }
}
