//! Schedules without migrations, made arrival by arrival among virtual machines chosen beforehand.

use super::Schedule;
use super::timeline::Timeline;
use crate::cluster::{BoardIndex, Location, Placement, WorkloadIndex};
use crate::model::siavashi::heuristic::Guest;
use crate::replay::Trace;

/// Where a chosen virtual machine goes among the GPUs that can take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    /// The first one.
    First,
    /// The one on which the fewest slots stay free; of these the first.
    Tightest,
    /// The one on which the fewest slots are free; of these the one whose present guests leave at the most similar time.
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
    let mut placement = Placement::new(vec![None; timeline.arrivals()]);
    let mut leaving: Vec<Vec<Guest>> = vec![Vec::new(); timeline.arrivals() + 1];
    for position in 0..timeline.arrivals() {
        for guest in std::mem::take(&mut leaving[position]) {
            fleet.remove(guest);
        }
        if !chosen[position] {
            continue;
        }
        let guest = Guest(WorkloadIndex::at(position).0);
        let request = trace.request(guest);
        let end = timeline.end(position);
        let free =
            |board: BoardIndex, occupied| trace.cluster.boards[board.index()].free_slots(occupied).count();
        let like_ends = |place: &Location| {
            let (gpu, board) = (place.gpu, trace.cluster.gpus[place.gpu.index()].board);
            let last = fleet.guests(gpu).iter().map(|guest| timeline.end(guest.0 as usize)).max();
            (free(board, fleet.occupied(gpu)), last.unwrap_or(position).abs_diff(end))
        };
        let found = match rule {
            Rule::First => fleet.best(request, |_, _| ()),
            Rule::Tightest => fleet.best(request, free),
            Rule::LikeEnds => {
                fleet.gpu_indices().filter_map(|gpu| fleet.fit(gpu, request)).min_by_key(like_ends)
            }
        };
        if let Some(place) = found {
            fleet.place(guest, request, place);
            placement.set(WorkloadIndex::at(position), Some(place));
            leaving[end].push(guest);
        }
    }
    placement
}
