//! All plans of a case at once, slot by slot, as far as they can be worth what is to be refuted.
//!
//! What the rest of a window can be worth depends on no more than the *places* of all models in the slot before: the state of the
//! inference task, and what has become of the retraining. So of all beginnings with the same places the best is enough; and of these the
//! ones to go on with are those that, with the most that the rest can be worth at the prices, reach the target.

use super::bound::Bound;
use super::fits::{Fits, NOTHING, Number};
use super::paths::{Paths, Rests};
use super::task::{NEVER, Task};
use crate::refusal::Refusal;

/// What has become of a retraining: it waits, it is done, or it is a start that runs, counted from [`FIRST_RUN`] on.
type Phase = usize;

const WAITS: Phase = 0;
const DONE: Phase = 1;
const FIRST_RUN: Phase = 2;

/// The most values of states while retrainings run.
const MOST_CELLS: usize = 1 << 24;

/// The most beginnings that are gathered in a slot.
const MOST_GATHERED: usize = 1 << 21;

/// A place of a model in a slot.
struct Place {
    /// Its phase and state as one number.
    code: u128,
    /// What the instances of both tasks are.
    number: Number,
    /// What the slot is worth.
    worth: i128,
    /// What the slots after it are worth at most.
    rest: i128,
    /// What both are worth, less the prices of the slot.
    gain: i128,
}

/// A beginning of plans.
struct Beginning {
    /// The places of all models as one number.
    places: u128,
    /// What it is worth.
    worth: i128,
}

/// A model in the sweep.
struct Track<'a> {
    task: &'a Task,
    paths: &'a Paths<'a>,
    rests: Rests,
    starts: &'a [super::starts::Start],
    /// Bits of a place.
    bits: u32,
    /// Places that can follow in the present slot, the greatest gain first, by phase and what the state gives; as far as they were asked for.
    followers: Vec<Option<Vec<Place>>>,
}

/// A sweep.
pub struct Sweep<'a> {
    fits: &'a Fits,
    tracks: Vec<Track<'a>>,
    /// What is to be refuted: that a plan is worth this.
    target: i128,
    /// By slot, what the contents of that slot and of all later ones pay at most.
    to_pay: Vec<i128>,
    /// How many places may still be looked at.
    effort: u64,
}

impl<'a> Sweep<'a> {
    /// Refutes that a plan with the starts of a bound is worth the target.
    ///
    /// # Errors
    /// When one may be, or when that would take more effort.
    pub fn refute(
        (fits, tasks): (&'a Fits, &'a [Task]),
        paths: &'a [Paths<'a>],
        bound: &'a Bound,
        target: i128,
        effort: u64,
    ) -> Result<(), Refusal> {
        let cells: usize =
            tasks.iter().zip(&bound.starts).map(|(task, starts)| Rests::cells(starts, task.states())).sum();
        if cells > MOST_CELLS {
            return Err(too_long());
        }
        let tracks = tasks.iter().zip(paths).zip(&bound.starts).map(|((task, paths), starts)| {
            let places = (FIRST_RUN + starts.len()) * task.states();
            let bits = usize::BITS - places.leading_zeros();
            Track { task, paths, rests: Rests::new(paths, starts), starts, bits, followers: Vec::new() }
        });
        let mut to_pay = vec![0];
        for &dearest in bound.dearest.iter().rev() {
            to_pay.push(to_pay[to_pay.len() - 1] + dearest);
        }
        to_pay.reverse();
        let mut sweep = Sweep { fits, tracks: tracks.collect(), target, to_pay, effort };
        if sweep.tracks.iter().map(|track| track.bits).sum::<u32>() > u128::BITS {
            return Err(too_long());
        }
        sweep.run()
    }

    fn run(&mut self) -> Result<(), Refusal> {
        let mut beginnings = vec![Beginning { places: 0, worth: 0 }];
        for slot in 0..self.to_pay.len() - 1 {
            for track in &mut self.tracks {
                track.followers.clear();
                track
                    .followers
                    .resize_with((FIRST_RUN + track.starts.len()) * track.task.conditions, || None);
            }
            let mut next = Vec::new();
            let mut places = Vec::with_capacity(self.tracks.len());
            for beginning in &beginnings {
                self.prepare(slot, beginning.places, &mut places);
                let followers: Option<Vec<&[Place]>> = self
                    .tracks
                    .iter()
                    .zip(&places)
                    .map(|(track, &place)| track.followers[place].as_deref())
                    .collect();
                let followers = followers.expect("they were prepared");
                if followers.iter().any(|followers| followers.is_empty()) {
                    continue;
                }
                let mut most = vec![self.to_pay[slot]];
                for followers in followers.iter().rev() {
                    most.push(most[most.len() - 1] + followers[0].gain);
                }
                most.reverse();
                let mut extension = Extension {
                    sweep: self,
                    slot,
                    followers: &followers,
                    most: &most,
                    next: &mut next,
                    effort: self.effort,
                };
                let partial = Partial {
                    held: NOTHING,
                    worth: beginning.worth,
                    rest: 0,
                    gain: beginning.worth,
                    places: 0,
                    shift: 0,
                };
                let done = extension.choose(0, partial);
                self.effort = extension.effort;
                if !done {
                    return Err(too_long());
                }
            }
            next.sort_unstable_by_key(|next: &Beginning| (next.places, std::cmp::Reverse(next.worth)));
            next.dedup_by_key(|next| next.places);
            beginnings = next;
        }
        match beginnings.iter().map(|beginning| beginning.worth).max() {
            None => Ok(()),
            Some(_) => Err(Refusal::of("a better plan is not refuted: there is one.")),
        }
    }

    /// Finds the places that can follow a beginning, and where they are among the followers of each model.
    fn prepare(&mut self, slot: usize, places: u128, positions: &mut Vec<usize>) {
        positions.clear();
        let mut left = places;
        for track in &mut self.tracks {
            let code = (left & ((1 << track.bits) - 1)) as usize;
            left = left.checked_shr(track.bits).unwrap_or_default();
            let (phase, state) = (code / track.task.states(), code % track.task.states());
            let given = if slot == 0 { 0 } else { track.task.gives[state] };
            let position = phase * track.task.conditions + given;
            if track.followers[position].is_none() {
                let followers = track.following(slot, phase, (slot > 0).then_some(given), self.fits);
                track.followers[position] = Some(followers);
            }
            positions.push(position);
        }
    }
}

fn too_long() -> Refusal {
    Refusal::of("a better plan is not refuted: the prices leave more open than the checker looks through.")
}

impl Track<'_> {
    /// The places that can follow one in a phase whose state gives something; before the window nothing does.
    fn following(&self, slot: usize, phase: Phase, given: Option<usize>, fits: &Fits) -> Vec<Place> {
        let mut places = Vec::new();
        for phase in self.phases_after(slot, phase) {
            let runs = phase.checked_sub(FIRST_RUN).map(|start| self.starts[start]);
            let held = runs.map_or(NOTHING, |start| self.task.runs[start.run].number);
            let paid = runs.map_or(0, |start| self.paths.paid_in(start, slot));
            for state in 0..self.task.states() {
                let follows = given.map_or(self.task.opens[state], |given| self.task.follows(given, state));
                let rest = match runs {
                    Some(start) => self.rests.while_running(self.paths, start, slot, state),
                    None if phase == WAITS => self.rests.waiting[slot][state],
                    None => self.paths.done[slot][state],
                };
                let number = fits.sum(held, self.task.number_of(state));
                let Some(number) = number.filter(|_| follows && rest > NEVER / 2) else { continue };
                let gain = self.paths.worth(slot, state, phase == DONE) - paid + rest;
                let worth = self.task.worth(slot, state, phase == DONE);
                let code = (phase * self.task.states() + state) as u128;
                places.push(Place { code, number, worth, rest, gain });
            }
        }
        places.sort_by_key(|place| std::cmp::Reverse(place.gain));
        places
    }

    /// The phases in a slot after that of the slot before.
    fn phases_after(&self, slot: usize, phase: Phase) -> Vec<Phase> {
        match phase {
            WAITS => {
                let first = self.starts.partition_point(|start| start.from < slot);
                let until = self.starts.partition_point(|start| start.from <= slot);
                std::iter::once(WAITS).chain((first..until).map(|start| FIRST_RUN + start)).collect()
            }
            DONE => vec![DONE],
            running if self.starts[running - FIRST_RUN].end == slot => vec![DONE],
            running => vec![running],
        }
    }
}

/// Places of some models, one after the other.
#[derive(Clone, Copy)]
struct Partial {
    held: Number,
    /// What the beginning is worth with the slot.
    worth: i128,
    /// What the slots after it are worth at most to these models.
    rest: i128,
    /// What both are, less the prices of the slot.
    gain: i128,
    places: u128,
    shift: u32,
}

/// From a beginning to those that are a slot longer.
struct Extension<'s, 'a> {
    sweep: &'s Sweep<'a>,
    slot: usize,
    followers: &'s [&'s [Place]],
    /// What each model and those after it gain at most, and what is paid from this slot on.
    most: &'s [i128],
    next: &'s mut Vec<Beginning>,
    effort: u64,
}

impl Extension<'_, '_> {
    /// Chooses places for a model and those after it; whether the effort sufficed.
    fn choose(&mut self, model: usize, partial: Partial) -> bool {
        let Some(followers) = self.followers.get(model) else {
            if partial.worth + partial.rest + self.sweep.to_pay[self.slot + 1] >= self.sweep.target {
                if self.next.len() == MOST_GATHERED {
                    return false;
                }
                self.next.push(Beginning { places: partial.places, worth: partial.worth });
            }
            return true;
        };
        for place in *followers {
            if partial.gain + place.gain + self.most[model + 1] < self.sweep.target {
                break;
            }
            let Some(left) = self.effort.checked_sub(1) else { return false };
            self.effort = left;
            let Some(held) = self.sweep.fits.sum(partial.held, place.number) else { continue };
            let longer = Partial {
                held,
                worth: partial.worth + place.worth,
                rest: partial.rest + place.rest,
                gain: partial.gain + place.gain,
                places: partial.places | place.code << partial.shift,
                shift: partial.shift + self.sweep.tracks[model].bits,
            };
            if !self.choose(model + 1, longer) {
                return false;
            }
        }
        true
    }
}
