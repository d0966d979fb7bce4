//! Schedules without migrations, made arrival by arrival among virtual machines chosen beforehand.

use super::Schedule;
use super::timeline::Timeline;
use crate::cluster::{Placement, WorkloadIndex};
use crate::model::siavashi::heuristic::{Candidate, Guest};
use crate::replay::Trace;

/// Where a chosen virtual machine goes among the GPUs that can take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    /// The first one.
    First,
    /// The one on which the fewest slots stay free; of these the first.
    Tightest,
    /// The one on which the fewest slots stay free; of these the one whose present guests leave at the most similar time.
    LikeEnds,
}

/// The best schedule that a rule makes among those chosen; `whom` says in words who they are.
pub fn best(trace: &Trace, timeline: &Timeline, chosen: &[bool], whom: &str) -> Schedule {
    let made = RULES.iter().map(|&(words, rule)| Schedule {
        placement: schedule(trace, timeline, chosen, rule),
        found_by: format!("{words} among {whom}"),
    });
    made.rev().max_by_key(Schedule::accepted).expect("there are rules")
}

/// The rules, by the words that a report has for them; of equal ones the first is taken.
const RULES: &[(&str, Rule)] =
    &[("first fit", Rule::First), ("best fit", Rule::Tightest), ("best fit by departure", Rule::LikeEnds)];

/// Lets the chosen arrive one after the other; those for whom there is no place then are rejected.
fn schedule(trace: &Trace, timeline: &Timeline, chosen: &[bool], rule: Rule) -> Placement {
    let mut fleet = trace.fleet();
    let mut placement = Placement::new(vec![None; timeline.len()]);
    let mut leaving: Vec<Vec<Guest>> = vec![Vec::new(); timeline.len() + 1];
    for position in 0..timeline.len() {
        for guest in std::mem::take(&mut leaving[position]) {
            fleet.remove(guest);
        }
        if !chosen[position] {
            continue;
        }
        let guest = Guest(WorkloadIndex::at(position).0);
        let request = trace.request(guest);
        let free = |candidate: &Candidate| {
            let board = fleet.boards()[candidate.board.index()].board();
            board.free_slots(candidate.occupied).count()
        };
        let end = timeline.end(position);
        let distance = |candidate: &Candidate| {
            let guests = fleet.guests(candidate.location.gpu).iter();
            let last = guests.map(|guest| timeline.end(guest.0 as usize)).max();
            last.unwrap_or(position).abs_diff(end)
        };
        let found = {
            let mut candidates = fleet.candidates(request);
            match rule {
                Rule::First => candidates.next(),
                Rule::Tightest => candidates.min_by_key(free),
                Rule::LikeEnds => candidates.min_by_key(|candidate| (free(candidate), distance(candidate))),
            }
        };
        if let Some(candidate) = found {
            fleet.place(guest, request, candidate.location);
            placement.set(WorkloadIndex::at(position), Some(candidate.location));
            leaving[end].push(guest);
        }
    }
    placement
}
