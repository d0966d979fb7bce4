//! The replay: events in order, intervals, and the series.

use super::document::{ActiveSums, Hour, Planning, PolicyDocument, ProfileCount};
use super::moment::Moment;
use super::operator::{Decision, Operator, Proof, ReplayError};
use super::reading::{Reading, Until};
use super::state_check::{StateCheck, Totals};
use super::trace::Trace;
use cluster::{Location, RequestIndex, WorkloadIndex};
use fleet::{Fleet, Guest, Move};
use itertools::Itertools;
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::Instant;

/// What came of a policy on a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    /// The policy in numbers.
    pub document: PolicyDocument,
    /// A line for each interval.
    pub hours: Vec<Hour>,
    /// Those that were accepted, in order, and their first places.
    pub placements: Vec<(Guest, Location)>,
}

impl Replay {
    /// The first place of every virtual machine of the trace; `None` for one that was rejected.
    pub fn first_places(&self, trace: &Trace) -> Vec<Option<Location>> {
        let mut places = vec![None; trace.visits.len()];
        self.placements.iter().for_each(|&(guest, place)| places[guest.0 as usize] = Some(place));
        places
    }
}

/// Replays a trace, which was read as the reading says, under a policy of that name.
///
/// Events are taken in order of their time. At one moment departures come before arrivals, and arrivals come in the order of the
/// trace; one that leaves when it arrives has left before the next arrival. Arrivals of one moment that no departure separates
/// are decided together. An interval begins with the events of its first moment and ends before those of its last; its line tells
/// the state after the policy has tidied up. At every end the state is checked independently.
///
/// The observer hears how many have arrived, and may break off.
///
/// # Errors
/// When the operator fails or the observer breaks off; [`ReplayError::Internal`] when a rule is broken.
pub fn replay<'t>(
    trace: &'t Trace,
    reading: &Reading,
    policy: &str,
    operator: &mut dyn Operator<'t>,
    observer: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Replay, ReplayError> {
    let begun = Instant::now();
    let length = reading.interval_microseconds();
    let mut course = Course::new(trace);
    let mut begins = trace.visits.first().map_or(0, |first| first.arrival.0 / length * length);
    while course.goes_on(reading.until) {
        let ends = begins + length;
        let mut hour = Hour { begins: begins / Moment::SECOND, ..Hour::default() };
        course.run_interval(ends, operator, observer, &mut hour)?;
        course.hours.push(hour);
        begins = ends;
    }
    Ok(course.finish(policy, begun.elapsed().as_secs_f64()))
}

/// A replay on its way.
struct Course<'t> {
    trace: &'t Trace,
    fleet: Fleet<'t>,
    check: StateCheck<'t>,
    /// Position of the next arrival.
    next: usize,
    /// Those that will leave, the next one on top.
    departures: BinaryHeap<Reverse<(Moment, u32)>>,
    totals: Totals,
    hours: Vec<Hour>,
    placements: Vec<(Guest, Location)>,
    planning: Option<Planning>,
}

impl<'t> Course<'t> {
    fn new(trace: &'t Trace) -> Self {
        Course {
            trace,
            fleet: trace.fleet(),
            check: StateCheck::new(trace),
            next: 0,
            departures: BinaryHeap::new(),
            totals: Totals::default(),
            hours: Vec::new(),
            placements: Vec::new(),
            planning: None,
        }
    }

    fn goes_on(&self, until: Until) -> bool {
        self.next < self.trace.visits.len() || until == Until::LastDeparture && !self.departures.is_empty()
    }

    /// What happens before the end of an interval, and at last its line.
    fn run_interval(
        &mut self,
        ends: u64,
        operator: &mut dyn Operator<'t>,
        observer: &mut dyn FnMut(usize) -> ControlFlow<()>,
        hour: &mut Hour,
    ) -> Result<(), ReplayError> {
        loop {
            let arrival = self.trace.visits.get(self.next).map(|visit| visit.arrival);
            let arrival = arrival.filter(|moment| moment.0 < ends);
            let departure = self.departures.peek().map(|&Reverse((moment, guest))| (moment, Guest(guest)));
            match (arrival, departure.filter(|(moment, _)| moment.0 < ends)) {
                (None, None) => break,
                (Some(arrival), Some((leaves, _))) if arrival < leaves => {
                    self.arrive(arrival, operator, hour)?
                }
                (Some(arrival), None) => self.arrive(arrival, operator, hour)?,
                (_, Some((_, guest))) => self.depart(guest, hour)?,
            }
            if observer(self.next).is_break() {
                return Err(ReplayError::Interrupted);
            }
        }
        let moves = operator.end_interval(&mut self.fleet, hour.rejected > 0);
        self.note_moves(&moves, hour)?;
        self.check.end_interval(&self.fleet, ends, &self.totals, hour)?;
        hour.free_capability = self.fleet.capability();
        Ok(())
    }

    fn depart(&mut self, guest: Guest, hour: &mut Hour) -> Result<(), ReplayError> {
        self.departures.pop();
        if self.fleet.location(guest).is_none() {
            let name = &self.trace.cluster.workloads[guest.0 as usize].name;
            return Err(ReplayError::Internal(format!(
                "`{name}` was accepted, but has disappeared before its departure"
            )));
        }
        self.fleet.remove(guest);
        self.check.left(guest);
        hour.departed += 1;
        self.totals.departed += 1;
        Ok(())
    }

    fn arrive(
        &mut self,
        moment: Moment,
        operator: &mut dyn Operator<'t>,
        hour: &mut Hour,
    ) -> Result<(), ReplayError> {
        let arrivals = self.batch(moment);
        self.next += arrivals.len();
        hour.arrived += arrivals.len();
        self.totals.arrived += arrivals.len();
        let Decision { moves, proof } = operator.arrive(&mut self.fleet, &arrivals, moment)?;
        self.note_moves(&moves, hour)?;
        for guest in arrivals {
            match self.fleet.location(guest) {
                Some(place) => {
                    self.check.accepted(guest, place);
                    self.placements.push((guest, place));
                    hour.accepted += 1;
                    self.totals.accepted += 1;
                    let leaves = self.trace.visits[guest.0 as usize].departure;
                    self.departures.extend(leaves.map(|leaves| Reverse((leaves, guest.0))));
                }
                None => {
                    hour.rejected += 1;
                    self.totals.rejected += 1;
                }
            }
        }
        proof.iter().for_each(|proof| self.note_proof(proof, hour));
        Ok(())
    }

    /// The next arrivals, all at that moment, up to the first that leaves at once.
    fn batch(&self, moment: Moment) -> Vec<Guest> {
        let rest = &self.trace.visits[self.next..];
        let together = rest.iter().take_while(|visit| visit.arrival == moment).count();
        let leaves_at_once = rest[..together].iter().position(|visit| visit.departure == Some(moment));
        let length = leaves_at_once.map_or(together, |position| position + 1);
        (self.next..self.next + length).map(|position| Guest(WorkloadIndex::at(position).0)).collect()
    }

    fn note_moves(&mut self, moves: &[Move], hour: &mut Hour) -> Result<(), ReplayError> {
        hour.migrations += moves.len();
        moves.iter().try_for_each(|step| self.check.moved(step))
    }

    fn note_proof(&mut self, proof: &Proof, hour: &mut Hour) {
        let planning = self.planning.get_or_insert_default();
        planning.decisions += 1;
        planning.programs += usize::from(proof.program);
        planning.seconds += proof.seconds;
        planning.slowest_seconds = planning.slowest_seconds.max(proof.seconds);
        if !proof.proved {
            planning.unproved += 1;
            hour.unproved += 1;
            for gap in [&mut planning.worst_gap, &mut hour.gap] {
                *gap = [*gap, proof.gap].into_iter().flatten().reduce(f64::max);
            }
        }
    }

    fn finish(self, policy: &str, seconds: f64) -> Replay {
        let mut sums = ActiveSums::default();
        for hour in &self.hours {
            sums.gpus += hour.active_gpus as u64;
            sums.hosts += hour.active_hosts as u64;
            sums.gpus_of_hosts += hour.gpus_of_active_hosts as u64;
        }
        let document = PolicyDocument {
            policy: policy.to_owned(),
            arrived: self.totals.arrived,
            accepted: self.totals.accepted,
            departed: self.totals.departed,
            profiles: profile_counts(self.trace, self.placements.iter().map(|&(guest, _)| guest)),
            migrations: self.hours.iter().map(|hour| hour.migrations).sum(),
            intervals: self.hours.len(),
            active_sums: sums,
            digest: digest(&self.placements),
            planning: self.planning,
            seconds,
        };
        Replay { document, hours: self.hours, placements: self.placements }
    }
}

/// How many ask for each profile of a trace, and how many of the accepted ones did.
pub fn profile_counts(trace: &Trace, accepted: impl Iterator<Item = Guest>) -> Vec<ProfileCount> {
    let cluster = &trace.cluster;
    let count = |request| ProfileCount { profile: profile_name(trace, request), arrived: 0, accepted: 0 };
    let mut counts: Vec<ProfileCount> =
        (0..cluster.requests.len()).map(RequestIndex::at).map(count).collect();
    cluster.workloads.iter().for_each(|workload| counts[workload.request.index()].arrived += 1);
    for guest in accepted {
        counts[cluster.workloads[guest.0 as usize].request.index()].accepted += 1;
    }
    counts
}

/// The name of a profile of a trace: on boards that call it otherwise, all its names.
pub fn profile_name(trace: &Trace, request: RequestIndex) -> String {
    trace.cluster.requests[request.index()].names.join("|")
}

/// The first 16 hexadecimal digits of the SHA-256 of `vm:gpu:start` with commas between, all by position from 0.
pub fn digest(placements: &[(Guest, Location)]) -> String {
    let entry = |(guest, place): &(Guest, Location)| format!("{}:{}:{}", guest.0, place.gpu.0, place.start.0);
    let hash = Sha256::digest(placements.iter().map(entry).join(","));
    hash[..8].iter().map(|byte| format!("{byte:02x}")).join("")
}
