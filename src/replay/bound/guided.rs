//! Schedules without migrations, made arrival by arrival among virtual machines chosen beforehand.

use super::schedule::Schedule;
use super::timeline::Timeline;
use crate::Trace;
use cluster::{Location, Placement, WorkloadIndex};
use fleet::{Fleet, Guest, Policy, Request, admit};
use siavashi::{Online, POLICIES};

/// The best schedule among those that policies make of the chosen, migrations left out; of equal ones that of the first policy.
/// `whom` says in words which they are.
pub fn best(trace: &Trace, timeline: &Timeline, chosen: &[bool], whom: &str) -> Schedule {
    let of_policy = |policy: &&dyn Online| {
        let mut at_work = policy.begin(&trace.fleet());
        let placement = schedule(trace, timeline, chosen, at_work.as_mut());
        Schedule { placement, found_by: format!("{} among {whom}", policy.name()) }
    };
    let mut like_ends = LikeEnds { timeline, arriving: 0 };
    let placement = schedule(trace, timeline, chosen, &mut like_ends);
    let last = Schedule { placement, found_by: format!("best fit by departure among {whom}") };
    let made = POLICIES.iter().map(of_policy).chain([last]);
    made.reduce(|best, other| if other.accepted() > best.accepted() { other } else { best })
        .expect("there are policies")
}

/// The fullest GPU that can take a request; of several, the one whose guests leave at the most similar time, which no policy knows.
struct LikeEnds<'s> {
    timeline: &'s Timeline,
    /// Whose turn it is, by position in the trace.
    arriving: usize,
}

impl Policy for LikeEnds<'_> {
    fn observe(&mut self, _: Request<'_>, time: u64) {
        self.arriving = time as usize;
    }

    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let end = self.timeline.end(self.arriving);
        let like_ends = |place: &Location| {
            let free = fleet.board_of(place.gpu).board().free_slots(fleet.occupied(place.gpu)).count();
            let guests = fleet.guests(place.gpu).iter();
            let last = guests.map(|guest| self.timeline.end(guest.0 as usize)).max();
            (free, last.unwrap_or(self.arriving).abs_diff(end))
        };
        fleet.gpu_indices().filter_map(|gpu| fleet.fit(gpu, request)).min_by_key(like_ends)
    }
}

/// Lets the chosen arrive one after the other; those for whom the policy has no place then are rejected. Its clock counts
/// arrivals.
fn schedule(trace: &Trace, timeline: &Timeline, chosen: &[bool], policy: &mut dyn Policy) -> Placement {
    let mut fleet = trace.fleet();
    let mut placement = Placement::new(vec![None; timeline.arrivals()]);
    let mut leaving: Vec<Vec<Guest>> = vec![Vec::new(); timeline.arrivals() + 1];
    for (guest, position) in trace.guests().zip(0..) {
        for gone in std::mem::take(&mut leaving[position]) {
            fleet.remove(gone);
        }
        if !chosen[position] {
            continue;
        }
        if let Some(place) = admit(policy, &mut fleet, guest, trace.request(guest), position as u64) {
            placement.set(WorkloadIndex(guest.0), Some(place));
            leaving[timeline.end(position)].push(guest);
        }
    }
    placement
}
