//! Decisions that take long are written down as they are made, and not made twice.

use super::moment::Moment;
use super::operator::{Decision, Operator, Proof, ReplayError};
use super::trace::Trace;
use cluster::{GpuIndex, Location};
use fleet::{Fleet, Guest, Move, Request};
use itertools::Itertools;
use mig::SliceStart;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// An operator whose decisions about arrivals are kept in a file, a line for each. Decisions that are in the file already are
/// carried out as they stand there; then the operator goes on.
///
/// So it must decide from the fleet alone, without memory of earlier decisions, and so must it tidy up at the end of an
/// interval, which is not written down. Whom it neither places nor moves, it leaves alone.
pub struct Journalled<'t> {
    trace: &'t Trace,
    operator: Box<dyn Operator<'t> + 't>,
    path: PathBuf,
    file: File,
    /// Decisions of earlier runs that were not carried out yet.
    earlier: VecDeque<Line>,
    /// Number of the last line of the file that was carried out or written.
    line: usize,
}

/// A decision.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Microseconds of the moment.
    moment: u64,
    /// Who arrived.
    arrived: Vec<u32>,
    /// Who of them was placed where.
    placed: Vec<(u32, Place)>,
    /// Who was moved from where to where.
    moved: Vec<(u32, Place, Place)>,
    /// All of these, those on one GPU in the order in which they came there.
    order: Vec<u32>,
    /// What was proved.
    proof: Option<Proof>,
}

/// GPU and start.
type Place = (u32, u8);

fn place_of(location: Location) -> Place {
    (location.gpu.0, location.start.0)
}

fn location_of((gpu, start): Place) -> Location {
    Location { gpu: GpuIndex(gpu), start: SliceStart(start) }
}

impl<'t> Journalled<'t> {
    /// The operator, with the decisions that a file holds. A line that a killed process left unfinished is cut off.
    ///
    /// # Errors
    /// [`ReplayError::Journal`] when the file cannot be read or written, or holds anything else.
    pub fn new(
        trace: &'t Trace,
        operator: Box<dyn Operator<'t> + 't>,
        path: &Path,
    ) -> Result<Self, ReplayError> {
        let unusable = |error: std::io::Error| {
            ReplayError::Journal(format!("{}: {error}. Name a folder that you may write to.", path.display()))
        };
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(unusable)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(unusable)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |position| position + 1);
        file.set_len(whole as u64).map_err(unusable)?;
        let lines = text[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let read = |(number, line): (usize, &[u8])| {
            serde_json::from_slice(line).map_err(|error| {
                let what = format!("this line is not a decision of a replay ({error})");
                broken(path, number + 1, &what)
            })
        };
        let earlier = lines.enumerate().map(read).collect::<Result<VecDeque<Line>, ReplayError>>()?;
        Ok(Journalled { trace, operator, path: path.to_owned(), file, earlier, line: 0 })
    }

    /// Number of decisions of earlier runs that will be carried out before the operator decides anew.
    pub fn ahead(&self) -> usize {
        self.earlier.len()
    }

    /// Carries out a decision of an earlier run; the error says what cannot be done.
    fn repeat(
        &self,
        decided: &Line,
        fleet: &mut Fleet<'t>,
        arrivals: &[Guest],
        moment: Moment,
    ) -> Result<Decision, &'static str> {
        if decided.moment != moment.0
            || !arrivals.iter().map(|guest| guest.0).eq(decided.arrived.iter().copied())
        {
            return Err("the decision is not about the arrivals that come next");
        }
        let mut places: BTreeMap<Guest, (Request<'t>, Location)> = BTreeMap::new();
        for &(guest, from, to) in &decided.moved {
            let (guest, from, to) = (Guest(guest), location_of(from), location_of(to));
            let request = match places.get(&guest) {
                Some((request, place)) if *place == from => *request,
                None if fleet.location(guest) == Some(from) => fleet.remove(guest),
                _ => return Err("a virtual machine is moved from a place where it is not"),
            };
            places.insert(guest, (request, to));
        }
        for &(guest, place) in &decided.placed {
            if !decided.arrived.contains(&guest) {
                return Err("a virtual machine is placed that has not arrived");
            }
            places.insert(Guest(guest), (self.trace.request(Guest(guest)), location_of(place)));
        }
        if !decided.order.iter().copied().sorted().eq(places.keys().map(|guest| guest.0)) {
            return Err("`order` does not name all that are placed or moved");
        }
        for guest in decided.order.iter().copied().map(Guest) {
            let (request, place) = places[&guest];
            if fleet.location(guest).is_some() || !fleet.can_take(request, place) {
                return Err("a virtual machine is placed where the hardware does not allow it");
            }
            fleet.place(guest, request, place);
        }
        let step = |&(guest, from, to): &(u32, Place, Place)| Move {
            guest: Guest(guest),
            from: location_of(from),
            to: location_of(to),
        };
        Ok(Decision { moves: decided.moved.iter().map(step).collect(), proof: decided.proof })
    }

    fn write(
        &mut self,
        decision: &Decision,
        fleet: &Fleet<'t>,
        arrivals: &[Guest],
        moment: Moment,
    ) -> Result<(), ReplayError> {
        let placed = arrivals.iter().filter_map(|&guest| Some((guest.0, place_of(fleet.location(guest)?))));
        let moved = decision.moves.iter().map(|step| (step.guest.0, place_of(step.from), place_of(step.to)));
        let moved: Vec<(u32, Place, Place)> = moved.collect();
        let placed: Vec<(u32, Place)> = placed.collect();
        let guests = moved.iter().map(|&(guest, ..)| guest).chain(placed.iter().map(|&(guest, _)| guest));
        let rank = |guest: &u32| {
            let gpu = fleet.location(Guest(*guest)).map(|place| place.gpu);
            let position = |gpu| fleet.guests(gpu).iter().position(|other| other.0 == *guest);
            (gpu, gpu.and_then(position))
        };
        let order = guests.sorted_by_key(rank).dedup().collect();
        let line = Line {
            moment: moment.0,
            arrived: arrivals.iter().map(|guest| guest.0).collect(),
            placed,
            moved,
            order,
            proof: decision.proof,
        };
        let text = serde_json::to_string(&line).expect("plain data") + "\n";
        self.line += 1;
        self.file.write_all(text.as_bytes()).map_err(|error| {
            ReplayError::Journal(format!("{}: cannot be written: {error}.", self.path.display()))
        })
    }
}

impl<'t> Operator<'t> for Journalled<'t> {
    fn arrive(
        &mut self,
        fleet: &mut Fleet<'t>,
        arrivals: &[Guest],
        moment: Moment,
    ) -> Result<Decision, ReplayError> {
        if let Some(decided) = self.earlier.pop_front() {
            self.line += 1;
            let repeated = self.repeat(&decided, fleet, arrivals, moment);
            return repeated.map_err(|what| broken(&self.path, self.line, what));
        }
        let decision = self.operator.arrive(fleet, arrivals, moment)?;
        self.write(&decision, fleet, arrivals, moment)?;
        Ok(decision)
    }

    fn end_interval(&mut self, fleet: &mut Fleet<'t>, rejected: bool) -> Vec<Move> {
        self.operator.end_interval(fleet, rejected)
    }
}

fn broken(path: &Path, line: usize, what: &str) -> ReplayError {
    ReplayError::Journal(format!(
        "{}:{line}: {what}. Delete this line and those after it, or the file; the same command then decides again.",
        path.display()
    ))
}
