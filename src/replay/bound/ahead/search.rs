//! The search: partial schedules and their successors.

use super::super::plan::{Deviation, LOSS};
use super::content::Content;
use super::moments::{Moments, Shortages, foreseen};
use super::scene::Scene;
use cluster::{GpuIndex, Location, Placement, WorkloadIndex};
use itertools::Itertools;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

/// A partial schedule.
#[derive(Clone)]
struct State {
    /// By GPU.
    contents: Vec<Rc<Content>>,
    /// How many of those chosen are lost.
    lost: u32,
    shortages: Rc<Shortages>,
    deviation: Deviation,
    /// The number of the last decision.
    last: Option<usize>,
}

/// A decision.
struct Step {
    before: Option<usize>,
    decision: Decision,
}

/// What becomes of an arrival.
#[derive(Clone, Copy)]
struct Decision {
    position: usize,
    place: Option<Location>,
    /// The guest that loses its place to it.
    instead_of: Option<usize>,
}

/// What may become of a state.
struct Successor {
    state: usize,
    decision: Decision,
    /// The GPU that changes, and what it holds then.
    change: Option<(GpuIndex, Rc<Content>)>,
    lost: u32,
    shortages: Rc<Shortages>,
    deviation: Deviation,
    key: u64,
    cost: i64,
}

/// A search that keeps so many partial schedules.
pub struct Search<'s> {
    scene: &'s Scene<'s>,
    moments: &'s Moments,
    width: usize,
    steps: Vec<Step>,
}

impl<'s> Search<'s> {
    pub fn new(scene: &'s Scene<'s>, moments: &'s Moments, width: usize) -> Self {
        Search { scene, moments, width, steps: Vec::new() }
    }

    /// The best schedule found; `None` if the search is over before.
    pub fn run(mut self, is_over: &dyn Fn() -> bool) -> Option<Placement> {
        let scene = self.scene;
        let contents = scene.cluster.gpu_indices().map(|gpu| Rc::new(Content::empty(scene, gpu)));
        let mut states = vec![State {
            contents: contents.collect(),
            lost: 0,
            shortages: Rc::default(),
            deviation: scene.plan.start(),
            last: None,
        }];
        for position in scene.chosen.iter().positions(|&chosen| chosen) {
            if is_over() {
                return None;
            }
            states.iter_mut().for_each(|state| state.advance(scene, position));
            states = self.next(&states, position);
        }
        let best = states.iter().min_by_key(|state| state.lost)?;
        Some(self.placement(best))
    }

    /// The most promising of all successors.
    fn next(&mut self, states: &[State], position: usize) -> Vec<State> {
        let mut best: BTreeMap<u64, Successor> = BTreeMap::new();
        for (number, state) in states.iter().enumerate() {
            for successor in self.successors(number, state, position) {
                match best.entry(successor.key) {
                    Entry::Vacant(entry) => {
                        entry.insert(successor);
                    }
                    Entry::Occupied(mut entry) if successor.lost < entry.get().lost => {
                        entry.insert(successor);
                    }
                    Entry::Occupied(_) => {}
                }
            }
        }
        let mut best: Vec<Successor> = best.into_values().collect();
        best.sort_by_key(|successor| successor.cost);
        best.truncate(self.width);
        best.into_iter().map(|successor| self.follow(&states[successor.state], successor)).collect()
    }

    fn follow(&mut self, state: &State, successor: Successor) -> State {
        let mut contents = state.contents.clone();
        if let Some((gpu, content)) = successor.change {
            contents[gpu.index()] = content;
        }
        self.steps.push(Step { before: state.last, decision: successor.decision });
        let Successor { lost, shortages, deviation, .. } = successor;
        State { contents, lost, shortages, deviation, last: Some(self.steps.len() - 1) }
    }

    fn successors(&self, number: usize, state: &State, position: usize) -> Vec<Successor> {
        let scene = self.scene;
        let decide = |is_accepted: bool| scene.plan.decide(&state.deviation, position, is_accepted);
        let base = Base {
            number,
            state,
            key: state.key(),
            held: state.held(position),
            deviations: [decide(false), decide(true)],
        };
        let mut successors = vec![self.successor(&base, None, Decision::loses(position))];
        let mut seen = Vec::new();
        for gpu in scene.cluster.gpu_indices() {
            let content = &state.contents[gpu.index()];
            if seen.contains(&content.key) || !scene.host_admits(gpu, state.on_host(scene, gpu), position) {
                continue;
            }
            let Some(profile) = scene.profile(gpu, position) else { continue };
            let Some(start) = scene.placements_of(gpu).start(content.occupied, profile) else { continue };
            let Some(after) = content.with(scene, gpu, position, start) else { continue };
            seen.push(content.key);
            let decision = Decision::takes(position, Location { gpu, start });
            successors.push(self.successor(&base, Some((gpu, Rc::new(after))), decision));
        }
        if seen.is_empty() {
            self.replace_one(&base, position, &mut successors);
        }
        successors
    }

    /// Successors in which the arrival takes the place of one guest.
    fn replace_one(&self, base: &Base<'_>, position: usize, successors: &mut Vec<Successor>) {
        let scene = self.scene;
        let mut seen = Vec::new();
        for gpu in scene.cluster.gpu_indices() {
            let content = &base.state.contents[gpu.index()];
            let Some(profile) = scene.profile(gpu, position) else { continue };
            if seen.contains(&content.key) {
                continue;
            }
            seen.push(content.key);
            let starts = &scene.placements_of(gpu).board().profile(profile).starts;
            for (&start, &(guest, _)) in starts.iter().cartesian_product(&content.guests) {
                let others = content.only(scene, gpu, |other| other != guest);
                let Some(after) = others.with(scene, gpu, position, start) else { continue };
                let staying = base.state.on_host(scene, gpu).filter(|&other| other != guest);
                if scene.host_admits(gpu, staying, position) {
                    let takes = Decision::takes(position, Location { gpu, start });
                    let decision = Decision { instead_of: Some(guest), ..takes };
                    successors.push(self.successor(base, Some((gpu, Rc::new(after))), decision));
                }
            }
        }
    }

    fn successor(
        &self,
        base: &Base<'_>,
        change: Option<(GpuIndex, Rc<Content>)>,
        decision: Decision,
    ) -> Successor {
        let State { contents, lost, shortages, .. } = base.state;
        let position = decision.position;
        let is_lost = decision.place.is_none() || decision.instead_of.is_some();
        let lost = lost + u32::from(is_lost);
        let (first, last) = self.moments.with(self.scene, position);
        let shortages = if first == last {
            Rc::clone(shortages)
        } else {
            let after = contents.iter().enumerate().map(|(gpu, content)| match &change {
                Some((changed, after)) if changed.index() == gpu => &**after,
                _ => &**content,
            });
            Rc::new(self.moments.update(self.scene, shortages, after, position))
        };
        let (mut key, mut held) = (base.key, base.held);
        if let Some((gpu, after)) = &change {
            let before = &contents[gpu.index()];
            key = key.wrapping_sub(before.key).wrapping_add(after.key);
            held = held - logarithm(before.last_end, position) + logarithm(after.last_end, position);
        }
        let mut deviation = base.deviations[usize::from(decision.place.is_some())].clone();
        if let Some(guest) = decision.instead_of {
            deviation = self.scene.plan.give_up(&deviation, guest);
        }
        let cost = i64::from(lost + foreseen(&shortages)) * LOSS + deviation.foreseen() + held as i64;
        Successor { state: base.number, decision, change, lost, shortages, deviation, key, cost }
    }

    /// Where the decisions that lead to a state place each.
    fn placement(&self, state: &State) -> Placement {
        let mut placement = Placement::new(vec![None; self.scene.timeline.arrivals()]);
        let mut decisions = Vec::new();
        let mut last = state.last;
        while let Some(number) = last {
            decisions.push(self.steps[number].decision);
            last = self.steps[number].before;
        }
        for decision in decisions.into_iter().rev() {
            placement.set(WorkloadIndex::at(decision.position), decision.place);
            if let Some(guest) = decision.instead_of {
                placement.set(WorkloadIndex::at(guest), None);
            }
        }
        placement
    }
}

/// A state, as its successors need it.
struct Base<'b> {
    number: usize,
    state: &'b State,
    key: u64,
    /// How long GPUs are held, as it counts.
    held: u64,
    /// From the plan after the arrival is lost, and after it is accepted.
    deviations: [Deviation; 2],
}

impl State {
    /// Takes off all that have left when one arrives.
    fn advance(&mut self, scene: &Scene<'_>, position: usize) {
        scene.plan.advance(&mut self.deviation, position);
        for (gpu, content) in scene.cluster.gpu_indices().zip(&mut self.contents) {
            if content.first_end <= position {
                *content = Rc::new(content.only(scene, gpu, |guest| scene.timeline.end(guest) > position));
            }
        }
    }

    fn key(&self) -> u64 {
        self.contents.iter().fold(0, |sum, content| sum.wrapping_add(content.key))
    }

    fn held(&self, now: usize) -> u64 {
        self.contents.iter().map(|content| logarithm(content.last_end, now)).sum()
    }

    /// The guests of a GPU's host.
    fn on_host<'a>(&'a self, scene: &'a Scene<'_>, gpu: GpuIndex) -> impl Iterator<Item = usize> + 'a {
        let beside = scene.beside[gpu.index()].iter();
        beside.flat_map(|other| self.contents[other.index()].guests.iter().map(|guest| guest.0))
    }
}

impl Decision {
    fn loses(position: usize) -> Self {
        Decision { position, place: None, instead_of: None }
    }

    fn takes(position: usize, place: Location) -> Self {
        Decision { position, place: Some(place), instead_of: None }
    }
}

/// The binary logarithm of one more than the time left until an end, in 1024ths, with straight lines between powers of two.
fn logarithm(end: usize, now: usize) -> u64 {
    let time = end.saturating_sub(now) as u64 + 1;
    let power = time.ilog2();
    (u64::from(power) << 10) + ((time << 10) >> power) - (1 << 10)
}
