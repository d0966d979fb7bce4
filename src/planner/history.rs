//! Plans without names: which places a class enters and leaves in which round.

use cluster::GpuIndex;
use plan::{Place, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// What a class does in a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The places that it enters.
    pub entered: Vec<Place>,
    /// The places that it leaves.
    pub left: Vec<Place>,
    /// How many of those who leave end for good.
    pub gone: usize,
}

impl Step {
    /// Those who leave one place for another in this round.
    pub fn moved(&self) -> usize {
        (self.left.len() - self.gone).min(self.entered.len())
    }

    /// Those who leave and enter nothing in this round, but later.
    pub fn parked(&self) -> usize {
        self.left.len() - self.gone - self.moved()
    }
}

/// What the classes do, round by round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Per round, by class.
    pub rounds: Vec<BTreeMap<usize, Step>>,
}

/// A workload of a class that leaves in one round and enters only in a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Absence {
    /// The class.
    pub class: usize,
    /// The round in which a place is left.
    pub from: usize,
    /// The round in which the next one is entered.
    pub to: usize,
}

impl History {
    /// A history of so many rounds in which nothing happens.
    pub fn empty(rounds: usize) -> Self {
        History { rounds: vec![BTreeMap::new(); rounds] }
    }

    /// What a class does in a round.
    pub fn step(&mut self, round: usize, class: usize) -> &mut Step {
        while self.rounds.len() <= round {
            self.rounds.push(BTreeMap::new());
        }
        self.rounds[round].entry(class).or_default()
    }

    /// Without the rounds in which nothing happens.
    pub fn compacted(mut self) -> Self {
        self.rounds
            .retain(|round| round.values().any(|step| !step.entered.is_empty() || !step.left.is_empty()));
        self
    }

    /// Who is absent from when to when: of a class, whoever left first comes back first, and before newcomers.
    pub fn absences(&self) -> Vec<Absence> {
        let mut open: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut absences = Vec::new();
        for (round, steps) in self.rounds.iter().enumerate() {
            for (&class, step) in steps {
                let waiting = open.entry(class).or_default();
                let back = (step.entered.len() - step.moved()).min(waiting.len());
                absences.extend(waiting.drain(..back).map(|from| Absence { class, from, to: round }));
                waiting.extend(std::iter::repeat_n(round, step.parked()));
            }
        }
        absences.sort_unstable();
        absences
    }

    /// What some classes do, in as many rounds.
    pub fn of_classes(&self, classes: &[usize]) -> Self {
        self.filtered(|class| classes.contains(&class))
    }

    /// What all but some classes do, in as many rounds.
    pub fn without(&self, classes: &[usize]) -> Self {
        self.filtered(|class| !classes.contains(&class))
    }

    fn filtered(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let kept = |steps: &BTreeMap<usize, Step>| {
            let kept = steps.iter().filter(|&(&class, _)| is_kept(class));
            kept.map(|(&class, step)| (class, step.clone())).collect()
        };
        History { rounds: self.rounds.iter().map(kept).collect() }
    }

    /// Adds what other classes do in the same rounds.
    pub fn join(&mut self, other: &History) {
        for (round, steps) in other.rounds.iter().enumerate() {
            for (&class, step) in steps {
                *self.step(round, class) = step.clone();
            }
        }
    }

    /// The places that are in play in each round, by GPU.
    pub fn in_play_by_gpu(&self, transition: &Transition) -> Vec<BTreeMap<GpuIndex, Vec<Place>>> {
        let by_gpu = |places: Vec<Place>| {
            let mut on: BTreeMap<GpuIndex, Vec<Place>> = BTreeMap::new();
            places.into_iter().for_each(|place| on.entry(place.gpu).or_default().push(place));
            on
        };
        self.in_play(transition).into_iter().map(by_gpu).collect()
    }

    /// The places that are in play in each round: held at its beginning, or entered in it.
    fn in_play(&self, transition: &Transition) -> Vec<Vec<Place>> {
        let mut held: Vec<Place> = transition.present().map(|(_, place)| place).collect();
        self.rounds
            .iter()
            .map(|steps| {
                let entered = || steps.values().flat_map(|step| &step.entered).copied();
                let all = held.iter().copied().chain(entered()).collect();
                held.extend(entered());
                let left: BTreeSet<Place> = steps.values().flat_map(|step| &step.left).copied().collect();
                held.retain(|place| !left.contains(place));
                all
            })
            .collect()
    }
}
