//! Rules of starts against trying everything out.

mod choices;
mod measures;
mod refusals;

use mig::{Board, catalogue};
use std::sync::Arc;

fn board(name: &str) -> Arc<Board> {
    Arc::clone(
        catalogue().boards().iter().find(|board| board.answers_to(name)).expect("it is in the catalogue"),
    )
}
