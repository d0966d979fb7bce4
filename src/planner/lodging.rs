//! Lodgings: temporary places for all who step aside, found at once. Each is free from the round in which it is entered to the one in which
//! it is left; two workloads may have the same one, one after the other.

use crate::fits::fits;
use crate::history::{Absence, History};
use crate::means::{Means, Point};
use cluster::GpuIndex;
use good_lp::{Expression, Variable, constraint, variable};
use mig::GpuInstance;
use milp::{ProgramBuilder, Sense};
use plan::{Place, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// The history with lodgings for as many of the absences as were found, and those for which there is none. At most so many places are
/// considered, those of each absence being counted anew.
///
/// # Errors
/// When the solver fails.
pub fn lodged(
    means: &Means<'_>,
    history: &History,
    absences: &[Absence],
    most_places: usize,
) -> Result<(History, Vec<Absence>), String> {
    if absences.is_empty() {
        return Ok((history.clone(), Vec::new()));
    }
    let rooms = Rooms::of(means.transition, history);
    let mut choice = Choice::new(rooms, absences, most_places);
    choice.rows();
    let chosen = choice.solve(means)?;
    let (mut history, mut homeless) = (history.clone(), Vec::new());
    for (absence, place) in absences.iter().zip(chosen) {
        match place {
            Some(place) => {
                history.step(absence.from, absence.class).entered.push(place);
                history.step(absence.to, absence.class).left.push(place);
            }
            None => homeless.push(*absence),
        }
    }
    Ok((history, homeless))
}

/// What is taken in each round.
struct Rooms<'t> {
    transition: &'t Transition,
    in_play: Vec<BTreeMap<GpuIndex, Vec<Place>>>,
    /// Per round and node, who comes and who leaves.
    arrivals: BTreeMap<(usize, usize), u32>,
    departures: BTreeMap<(usize, usize), u32>,
}

impl<'t> Rooms<'t> {
    fn of(transition: &'t Transition, history: &History) -> Self {
        let (mut arrivals, mut departures) = (BTreeMap::new(), BTreeMap::new());
        for (round, steps) in history.rounds.iter().enumerate() {
            for step in steps.values() {
                for place in &step.entered {
                    *arrivals.entry((round, transition.node_of(place.gpu))).or_default() += 1;
                }
                for place in &step.left {
                    *departures.entry((round, transition.node_of(place.gpu))).or_default() += 1;
                }
            }
        }
        Rooms { transition, in_play: history.in_play_by_gpu(transition), arrivals, departures }
    }

    fn on(&self, round: usize, gpu: GpuIndex) -> &[Place] {
        self.in_play[round].get(&gpu).map_or(&[], Vec::as_slice)
    }

    fn is_free(&self, absence: &Absence, place: Place) -> bool {
        (absence.from..=absence.to).all(|round| fits(self.transition, self.on(round, place.gpu), place))
    }

    /// The places that are free during an absence.
    fn places(&self, absence: &Absence) -> Vec<Place> {
        let all = possible(self.transition, absence.class);
        all.into_iter().filter(|place| self.is_free(absence, *place)).collect()
    }
}

/// The places that workloads of a class may enter at all, on GPUs in the order of the cluster.
pub fn possible(transition: &Transition, class: usize) -> Vec<Place> {
    let cluster = &transition.cluster;
    let request = &cluster.requests[transition.classes[class].request.index()];
    let mut places = Vec::new();
    for gpu in cluster.gpu_indices().filter(|&gpu| transition.may_enter(class, gpu)) {
        let Some(profile) = request.on_board[cluster.gpus[gpu.index()].board.index()] else { continue };
        let starts = cluster.board_of(gpu).profile(profile).starts.iter();
        places.extend(starts.map(|&start| Place { gpu, instance: GpuInstance { profile, start } }));
    }
    places
}

/// At most so many of some things, the first of which is one of its own for each who asks.
pub fn share<T: Copy>(things: &[T], most: usize, who: usize, of: usize) -> Vec<T> {
    let first = things.len() * who / of.max(1);
    (0..things.len().min(most)).map(|number| things[(first + number) % things.len()]).collect()
}

/// A place that may be the lodging in an absence.
struct Candidate {
    absence: usize,
    place: Place,
    variable: Variable,
    index: usize,
}

/// The program: who is lodged where.
struct Choice<'t> {
    rooms: Rooms<'t>,
    absences: Vec<Absence>,
    candidates: Vec<Candidate>,
    builder: ProgramBuilder,
}

impl<'t> Choice<'t> {
    fn new(rooms: Rooms<'t>, absences: &[Absence], most_places: usize) -> Self {
        let mut builder = ProgramBuilder::new("lodgings");
        let mut candidates = Vec::new();
        for (number, absence) in absences.iter().enumerate() {
            let places = rooms.places(absence);
            let most = (most_places / absences.len()).max(1);
            for (at, place) in share(&places, most, number, absences.len()).into_iter().enumerate() {
                let variable = builder.column(format!("y[{number},{at}]"), variable().binary());
                let index = builder.index_of(variable);
                candidates.push(Candidate { absence: number, place, variable, index });
            }
        }
        Choice { rooms, absences: absences.to_vec(), candidates, builder }
    }

    fn sum<'c>(candidates: impl IntoIterator<Item = &'c Candidate>) -> Expression {
        candidates.into_iter().map(|candidate| Expression::from(candidate.variable)).sum()
    }

    fn rows(&mut self) {
        for number in 0..self.absences.len() {
            let own = Self::sum(self.candidates.iter().filter(|candidate| candidate.absence == number));
            self.builder.row(format!("one[{number}]"), constraint!(own <= 1));
        }
        let mut on: BTreeMap<(GpuIndex, usize), Vec<usize>> = BTreeMap::new();
        for (number, candidate) in self.candidates.iter().enumerate() {
            let absence = &self.absences[candidate.absence];
            for round in absence.from..=absence.to {
                on.entry((candidate.place.gpu, round)).or_default().push(number);
            }
        }
        let mut seen = BTreeSet::new();
        for ((gpu, round), here) in on {
            self.gpu(gpu, round, &here, &mut seen);
        }
        self.nodes();
    }

    /// What may be held on a GPU in a round.
    fn gpu(&mut self, gpu: GpuIndex, round: usize, here: &[usize], seen: &mut BTreeSet<Vec<usize>>) {
        let cluster = &self.rooms.transition.cluster;
        let board = cluster.board_of(gpu);
        for slot in 0..board.slots() {
            let covers = |number: &usize| self.candidates[*number].place.slots(cluster).0 >> slot & 1 == 1;
            let covering: Vec<usize> = here.iter().copied().filter(covers).collect();
            if covering.len() > 1 && seen.insert(covering.clone()) {
                let used = Self::sum(covering.iter().map(|&number| &self.candidates[number]));
                self.builder.row(format!("slot[{},{slot},{round}]", gpu.0), constraint!(used <= 1));
            }
        }
        for (number, limit) in board.limits().iter().enumerate() {
            let usage = |place: Place| limit.usage[place.instance.profile.index()];
            let taken: u32 = self.rooms.on(round, gpu).iter().map(|&place| usage(place)).sum();
            let rest = limit.capacity.saturating_sub(taken);
            let asked = here.iter().map(|&number| &self.candidates[number]);
            if asked.clone().map(|candidate| usage(candidate.place)).sum::<u32>() > rest {
                let used: Expression =
                    asked.map(|candidate| f64::from(usage(candidate.place)) * candidate.variable).sum();
                let row = constraint!(used <= f64::from(rest));
                self.builder.row(format!("limit[{},{number},{round}]", gpu.0), row);
            }
        }
    }

    /// How many may come to a node in a round, and leave it.
    fn nodes(&mut self) {
        let Some(most) = self.rooms.transition.limits.max_parallel_per_node else { return };
        let mut ways: BTreeMap<(bool, usize, usize), Expression> = BTreeMap::new();
        for candidate in &self.candidates {
            let node = self.rooms.transition.node_of(candidate.place.gpu);
            let absence = &self.absences[candidate.absence];
            *ways.entry((true, absence.from, node)).or_default() += candidate.variable;
            *ways.entry((false, absence.to, node)).or_default() += candidate.variable;
        }
        for ((comes, round, node), sum) in ways {
            let (family, known) = match comes {
                true => ("arrivals", &self.rooms.arrivals),
                false => ("departures", &self.rooms.departures),
            };
            let known = known.get(&(round, node)).copied().unwrap_or(0);
            let rest = f64::from(most.saturating_sub(known));
            self.builder.row(format!("{family}[{node},{round}]"), constraint!(sum <= rest));
        }
    }

    /// Lodges as many as there is room for, on GPUs in use rather than on empty ones.
    fn solve(mut self, means: &Means<'_>) -> Result<Vec<Option<Place>>, String> {
        let mut chosen = vec![None; self.absences.len()];
        if self.candidates.is_empty() {
            return Ok(chosen);
        }
        self.builder.stage("lodged", Sense::Maximize, Self::sum(&self.candidates), Some(1.0));
        let on_empty = |candidate: &&Candidate| self.rooms.on(0, candidate.place.gpu).is_empty();
        if self.candidates.iter().any(|candidate| on_empty(&candidate)) {
            let apart = Self::sum(self.candidates.iter().filter(on_empty));
            self.builder.stage("on_empty_gpus", Sense::Minimize, apart, Some(1.0));
        }
        if let Point::Found(point, _) = means.point(&self.builder.build())? {
            for candidate in self.candidates.iter().filter(|candidate| point[candidate.index] > 0.5) {
                chosen[candidate.absence] = Some(candidate.place);
            }
        }
        Ok(chosen)
    }
}
