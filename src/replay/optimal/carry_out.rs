//! From the placement that was decided to the fleet.

use super::super::trace::Trace;
use super::question::Question;
use cluster::Placement;
use fleet::{Fleet, Guest, Move};

/// Brings the fleet into the state of a placement that obeys all rules, and says who moved, in the order of the guests. All
/// that move leave their places before any of them takes a new one, so that cycles need no spare place.
pub fn carry_out<'t>(
    trace: &'t Trace,
    fleet: &mut Fleet<'t>,
    question: &Question,
    placement: &Placement,
) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut places = Vec::new();
    for (guest, to) in question.in_fleet(placement) {
        let from = fleet.location(guest);
        if from == to {
            continue;
        }
        if let Some(to) = to {
            places.push((guest, to));
            moves.extend(from.map(|from| Move { guest, from, to }));
        }
    }
    let leaves: Vec<Guest> = moves.iter().map(|change| change.guest).collect();
    for guest in leaves {
        fleet.remove(guest);
    }
    for (guest, to) in places {
        fleet.place(guest, trace.request(guest), to);
    }
    moves
}
