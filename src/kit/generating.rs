//! What the models' generators of random instances have in common.

use ground::{Located, did_you_mean};
use mig::{Board, Lookup, catalogue};
use std::sync::Arc;

/// An entry of an instance that comes from no file.
pub fn located<T>(value: T) -> Located<T> {
    Located::nowhere(value)
}

/// The board of the catalogue with this name or alias; else words that begin with the name.
pub fn board_of_catalogue(name: &str) -> Result<Arc<Board>, String> {
    match catalogue().find(name) {
        Lookup::Found(board) => Ok(board),
        Lookup::Unavailable { reason } => Err(format!("\"{name}\" cannot be used: {reason}.")),
        Lookup::Several(names) => {
            let names = names.join(" or ");
            Err(format!("\"{name}\" comes in several versions: {names}? Name one of them."))
        }
        Lookup::Unknown => {
            let known: Vec<&str> = catalogue().boards().iter().map(|board| board.name()).collect();
            let guess = did_you_mean(name, known.iter().copied());
            let known = known.join(", ");
            Err(format!("\"{name}\" is not known{guess}. Known boards: {known}."))
        }
    }
}
