//! Temporary places for workloads that are absent: free all the time, and in the way of none.

use crate::fits::fits;
use crate::history::{Absence, History};
use cluster::GpuIndex;
use mig::GpuInstance;
use plan::{Place, Transition};
use std::collections::BTreeMap;

/// So many attempts are made.
const MOST_ATTEMPTS: usize = 20_000;

/// The history with a temporary place for each of the absences; none if they were not found.
pub fn housed(transition: &Transition, history: &History, absences: &[Absence]) -> Option<History> {
    let mut garage = Garage::new(transition, history);
    let mut candidates: Vec<(Absence, Vec<Place>)> =
        absences.iter().map(|absence| (*absence, garage.candidates(absence, absences.len()))).collect();
    candidates.sort_by_key(|(absence, places)| (places.len(), *absence));
    let mut attempts = 0;
    let mut chosen = Vec::new();
    if !garage.assign(&candidates, &mut chosen, &mut attempts) {
        return None;
    }
    let mut history = history.clone();
    for ((absence, _), place) in candidates.iter().zip(chosen) {
        history.step(absence.from, absence.class).entered.push(place);
        history.step(absence.to, absence.class).left.push(place);
    }
    Some(history)
}

struct Garage<'t> {
    transition: &'t Transition,
    /// Per round and GPU, what is in play.
    in_play: Vec<BTreeMap<GpuIndex, Vec<Place>>>,
    /// Per round and node, who comes and who leaves.
    arrivals: BTreeMap<(usize, usize), u32>,
    departures: BTreeMap<(usize, usize), u32>,
}

impl<'t> Garage<'t> {
    fn new(transition: &'t Transition, history: &History) -> Self {
        let by_gpu = |places: Vec<Place>| {
            let mut on: BTreeMap<GpuIndex, Vec<Place>> = BTreeMap::new();
            places.into_iter().for_each(|place| on.entry(place.gpu).or_default().push(place));
            on
        };
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
        let in_play = history.in_play(transition).into_iter().map(by_gpu).collect();
        Garage { transition, in_play, arrivals, departures }
    }

    fn on(&self, round: usize, gpu: GpuIndex) -> &[Place] {
        self.in_play[round].get(&gpu).map_or(&[], Vec::as_slice)
    }

    /// Places that are free during an absence: on GPUs in use first. No more than so many per start are of use, as the others take no more.
    fn candidates(&self, absence: &Absence, others: usize) -> Vec<Place> {
        let cluster = &self.transition.cluster;
        let request = &cluster.requests[self.transition.classes[absence.class].request.index()];
        let mut places = Vec::new();
        let mut gpus: Vec<GpuIndex> =
            cluster.gpu_indices().filter(|&gpu| self.transition.may_enter(absence.class, gpu)).collect();
        gpus.sort_by_key(|&gpu| (self.on(0, gpu).is_empty(), gpu));
        for gpu in gpus {
            let board = cluster.gpus[gpu.index()].board.index();
            let Some(profile) = request.on_board[board] else { continue };
            for &start in &cluster.boards[board].profile(profile).starts {
                let place = Place { gpu, instance: GpuInstance { profile, start } };
                if self.is_free(absence, place) {
                    places.push(place);
                }
            }
            // Each of the others takes at most a GPU's worth.
            if places.len() > 64 * (others + 1) {
                break;
            }
        }
        places
    }

    fn is_free(&self, absence: &Absence, place: Place) -> bool {
        let node = self.transition.node_of(place.gpu);
        let below = |counts: &BTreeMap<(usize, usize), u32>, round: usize| {
            let count = counts.get(&(round, node)).copied().unwrap_or(0);
            self.transition.limits.max_parallel_per_node.is_none_or(|most| count < most)
        };
        below(&self.arrivals, absence.from)
            && below(&self.departures, absence.to)
            && (absence.from..=absence.to)
                .all(|round| fits(self.transition, self.on(round, place.gpu), place))
    }

    fn assign(
        &mut self,
        rest: &[(Absence, Vec<Place>)],
        chosen: &mut Vec<Place>,
        attempts: &mut usize,
    ) -> bool {
        let Some((absence, places)) = rest.get(chosen.len()) else { return true };
        for &place in places {
            *attempts += 1;
            if *attempts > MOST_ATTEMPTS {
                return false;
            }
            if !self.is_free(absence, place) {
                continue;
            }
            self.put(absence, place, true);
            chosen.push(place);
            if self.assign(rest, chosen, attempts) {
                return true;
            }
            chosen.pop();
            self.put(absence, place, false);
        }
        false
    }

    /// Takes a place, or gives it back.
    fn put(&mut self, absence: &Absence, place: Place, takes: bool) {
        let node = self.transition.node_of(place.gpu);
        for round in absence.from..=absence.to {
            let on = self.in_play[round].entry(place.gpu).or_default();
            if takes {
                on.push(place);
            } else {
                on.pop();
            }
        }
        let arrivals = self.arrivals.entry((absence.from, node)).or_default();
        *arrivals = if takes { *arrivals + 1 } else { *arrivals - 1 };
        let departures = self.departures.entry((absence.to, node)).or_default();
        *departures = if takes { *departures + 1 } else { *departures - 1 };
    }
}
