//! What the models' generators of random instances have in common.

use crate::cluster::{Located, did_you_mean};
use crate::mig::{Board, Lookup, catalogue};
use std::sync::Arc;

/// An entry of an instance that comes from no file.
pub(crate) fn located<T>(value: T) -> Located<T> {
    Located::new(value, serde_yaml::Location::UNKNOWN, serde_yaml::Location::UNKNOWN)
}

/// Reads a finite number of at least 0.
pub(crate) fn positive_number(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "give a number".to_owned())?;
    if number.is_finite() && number >= 0.0 {
        Ok(number)
    } else {
        Err("give a number of at least 0".to_owned())
    }
}

/// Reads a number between 0 and 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let number = positive_number(text)?;
    if number <= 1.0 { Ok(number) } else { Err("give a number between 0 and 1".to_owned()) }
}

/// The board of the catalogue that the flag `--board` names.
pub(crate) fn board_named(name: &str) -> Result<Arc<Board>, String> {
    board_of_catalogue(name).map_err(|message| format!("--board {message}"))
}

/// The board of the catalogue with this name or alias; else words that begin with the name.
pub(crate) fn board_of_catalogue(name: &str) -> Result<Arc<Board>, String> {
    match catalogue().find(name) {
        Lookup::Found(board) => Ok(board),
        Lookup::Unavailable { reason } => Err(format!("\"{name}\" cannot be used: {reason}.")),
        Lookup::Unknown => {
            let known: Vec<&str> = catalogue().boards().iter().map(|board| board.name()).collect();
            let guess = did_you_mean(name, known.iter().copied());
            let known = known.join(", ");
            Err(format!("\"{name}\" is not known{guess}. Known boards: {known}."))
        }
    }
}
