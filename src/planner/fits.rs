//! What can be held side by side.

use plan::{Place, Transition};

/// Whether a place can be held beside others on its GPU.
pub fn fits(transition: &Transition, others: &[Place], place: Place) -> bool {
    let board = transition.cluster.board_of(place.gpu);
    board.fits(place.instance, others.iter().map(|other| other.instance))
}
