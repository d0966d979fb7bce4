//! A plan made greedily: in each round everything that can be done, the most urgent first.

use crate::fits::fits;
use crate::graph::Waits;
use crate::history::History;
use cluster::{GpuIndex, Handover};
use plan::{Place, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// A plan without temporary places, in which the sources in `parks`, and further ones where nothing else is left to do, are left before
/// there is a place to go to. None where budgets forbid that.
pub fn greedy(transition: &Transition, waits: &Waits, parks: &BTreeSet<usize>) -> Option<History> {
    Greedy::new(transition, waits, parks).run()
}

struct Greedy<'t> {
    transition: &'t Transition,
    waits: &'t Waits,
    parks: BTreeSet<usize>,
    tails: Vec<usize>,
    held: BTreeMap<GpuIndex, Vec<Place>>,
    /// In which round a source was left.
    left: Vec<Option<usize>>,
    entered: Vec<bool>,
    stopped: Vec<usize>,
    newcomers: Vec<usize>,
    leavers: Vec<usize>,
    history: History,
    tally: Tally,
}

/// What has happened in the round at hand.
#[derive(Default)]
struct Tally {
    entries: u32,
    arrivals: BTreeMap<usize, u32>,
    departures: BTreeMap<usize, u32>,
    down: Vec<u32>,
    /// Those who were stopped before this round, per class.
    waiting: Vec<usize>,
    in_play: BTreeMap<GpuIndex, Vec<Place>>,
}

impl<'t> Greedy<'t> {
    fn new(transition: &'t Transition, waits: &'t Waits, parks: &BTreeSet<usize>) -> Self {
        let mut held: BTreeMap<GpuIndex, Vec<Place>> = BTreeMap::new();
        for (_, place) in transition.present() {
            held.entry(place.gpu).or_default().push(place);
        }
        let classes = &transition.classes;
        Greedy {
            transition,
            waits,
            parks: parks.clone(),
            tails: waits.tails(),
            held,
            left: vec![None; waits.sources.len()],
            entered: vec![false; waits.targets.len()],
            stopped: vec![0; classes.len()],
            newcomers: classes.iter().map(|class| class.newcomers()).collect(),
            leavers: classes.iter().map(|class| class.leavers()).collect(),
            history: History::default(),
            tally: Tally::default(),
        }
    }

    fn run(mut self) -> Option<History> {
        let mut urgent: Vec<usize> = (0..self.waits.targets.len()).collect();
        let key = |&target: &usize| (std::cmp::Reverse(self.tails[self.waits.targets[target].class]), target);
        urgent.sort_by_key(key);
        let mut round = 0;
        while self.entered.contains(&false) || self.left.contains(&None) {
            self.begin();
            let done = [self.end_leavers(round), self.park(round), self.enter(round, &urgent)];
            if !done.contains(&true) {
                self.give_way(round)?;
            }
            self.finish();
            round += 1;
        }
        Some(self.history.compacted())
    }

    fn begin(&mut self) {
        let mut down = vec![0; self.transition.cluster.budgets.len()];
        for (class, &count) in self.transition.classes.iter().zip(&self.stopped) {
            class.budgets.iter().for_each(|budget| down[budget.index()] += count as u32);
        }
        self.tally =
            Tally { down, waiting: self.stopped.clone(), in_play: self.held.clone(), ..Tally::default() };
    }

    /// What is entered and left in the round becomes what is held.
    fn finish(&mut self) {
        let Some(steps) = self.history.rounds.last() else { return };
        for step in steps.values() {
            for place in &step.entered {
                self.held.entry(place.gpu).or_default().push(*place);
            }
        }
        for step in steps.values() {
            for place in &step.left {
                self.held.entry(place.gpu).or_default().retain(|held| held != place);
            }
        }
    }

    fn may_happen(&self) -> bool {
        self.transition.limits.max_parallel.is_none_or(|most| self.tally.entries < most)
    }

    fn within(&self, counts: &BTreeMap<usize, u32>, place: Place) -> bool {
        let node = self.transition.node_of(place.gpu);
        let count = counts.get(&node).copied().unwrap_or(0);
        self.transition.limits.max_parallel_per_node.is_none_or(|most| count < most)
    }

    fn may_go_down(&self, class: usize) -> bool {
        let budgets = &self.transition.classes[class].budgets;
        let allowed = |budget: &cluster::BudgetIndex| {
            self.tally.down[budget.index()] < self.transition.cluster.budgets[budget.index()].allowed
        };
        budgets.iter().all(allowed)
    }

    fn goes_down(&mut self, class: usize) {
        for budget in &self.transition.classes[class].budgets {
            self.tally.down[budget.index()] += 1;
        }
    }

    fn leave(&mut self, round: usize, source: usize) {
        let about = &self.waits.sources[source];
        self.left[source] = Some(round);
        *self.tally.departures.entry(self.transition.node_of(about.place.gpu)).or_default() += 1;
        self.history.step(round, about.class).left.push(about.place);
    }

    /// Sources that a class has not left, the most urgent first.
    fn urgent_source(&self, class: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let open = self.waits.sources_of[class].iter().copied();
        let open = open.filter(|&source| self.left[source].is_none() && wanted(source));
        open.max_by_key(|&source| {
            let blocks = self.waits.sources[source].blocks.iter().filter(|&&target| !self.entered[target]);
            let tail = blocks.clone().map(|&target| 1 + self.tails[self.waits.targets[target].class]).max();
            (tail, blocks.count(), std::cmp::Reverse(source))
        })
    }

    fn end_leavers(&mut self, round: usize) -> bool {
        let mut happened = false;
        for class in 0..self.leavers.len() {
            while self.leavers[class] > 0 && self.may_happen() {
                let can =
                    |source: usize| self.within(&self.tally.departures, self.waits.sources[source].place);
                let Some(source) = self.urgent_source(class, can) else { break };
                self.leave(round, source);
                self.history.step(round, class).gone += 1;
                self.leavers[class] -= 1;
                self.tally.entries += 1;
                happened = true;
            }
        }
        happened
    }

    fn park(&mut self, round: usize) -> bool {
        let waiting: Vec<usize> =
            self.parks.iter().copied().filter(|&source| self.left[source].is_none()).collect();
        waiting.into_iter().filter(|&source| self.step_aside(round, source)).count() > 0
    }

    fn step_aside(&mut self, round: usize, source: usize) -> bool {
        let about = &self.waits.sources[source];
        let restarts = self.transition.classes[about.class].handover == Handover::Restart;
        if !self.may_happen()
            || !self.within(&self.tally.departures, about.place)
            || restarts && !self.may_go_down(about.class)
        {
            return false;
        }
        if restarts {
            self.goes_down(about.class);
        }
        self.leave(round, source);
        self.stopped[about.class] += 1;
        self.tally.entries += 1;
        true
    }

    fn enter(&mut self, round: usize, urgent: &[usize]) -> bool {
        let mut happened = false;
        for &target in urgent {
            if !self.entered[target] && self.may_happen() && self.is_open(round, target) {
                happened |= self.fill(round, target);
            }
        }
        happened
    }

    fn is_open(&self, round: usize, target: usize) -> bool {
        let about = &self.waits.targets[target];
        about.blockers.iter().all(|&source| self.left[source].is_some_and(|left| left < round))
            && self.within(&self.tally.arrivals, about.place)
            && fits(
                self.transition,
                self.tally.in_play.get(&about.place.gpu).map_or(&[], Vec::as_slice),
                about.place,
            )
    }

    /// A workload enters a target: one that was stopped before, else one that is to move, else a newcomer.
    fn fill(&mut self, round: usize, target: usize) -> bool {
        let (class, place) = (self.waits.targets[target].class, self.waits.targets[target].place);
        if self.tally.waiting[class] > 0 {
            self.tally.waiting[class] -= 1;
            self.stopped[class] -= 1;
        } else {
            let restarts = self.transition.classes[class].handover == Handover::Restart;
            let can = |source: usize| {
                !self.parks.contains(&source)
                    && self.within(&self.tally.departures, self.waits.sources[source].place)
                    && (!restarts || self.may_go_down(class))
            };
            match self.urgent_source(class, can) {
                Some(source) => {
                    if restarts {
                        self.goes_down(class);
                    }
                    self.leave(round, source);
                }
                None if self.newcomers[class] > 0 => self.newcomers[class] -= 1,
                None => return false,
            }
        }
        self.entered[target] = true;
        self.tally.entries += 1;
        *self.tally.arrivals.entry(self.transition.node_of(place.gpu)).or_default() += 1;
        self.tally.in_play.entry(place.gpu).or_default().push(place);
        self.history.step(round, class).entered.push(place);
        true
    }

    /// Nothing else can be done: a workload that is in the way of others steps aside.
    fn give_way(&mut self, round: usize) -> Option<()> {
        let open = (0..self.left.len()).filter(|&source| self.left[source].is_none());
        let mut open: Vec<usize> = open.collect();
        let blocks = |source: usize| {
            self.waits.sources[source].blocks.iter().filter(|&&target| !self.entered[target]).count()
        };
        open.sort_by_key(|&source| (std::cmp::Reverse(blocks(source)), source));
        for source in open {
            if self.step_aside(round, source) {
                self.parks.insert(source);
                return Some(());
            }
        }
        None
    }
}
