//! All plans of a part of the search at once, slot by slot, as far as they lose little.
//!
//! Under prices a plan is worth the bound less what its models' steps lose and what the contents of its slots are cheaper than the
//! dearest ones. None of this is negative, so that what has been lost until a slot only grows. What two plans have in common from a slot
//! on depends on nothing but the phase and the state of every model there: of those that agree in these, one that lost least is kept.
//! What loses more than a plan may is dropped, and so is whatever loses most where a slot has more to keep than the sweep is wide; the least
//! that such dropped ones lost is what all plans lose that the sweep cannot rule out.

use super::entrance::Entrances;
use super::index::Slot;
use super::kept::{Gathered, Kept, Old, Phases, Width};
use super::list::List;
use super::potential::Potential;
use super::rests::Phase;
use crate::instance::ModelIndex;
use crate::rules::{Plan, Retraining, TaskPlan};
use std::ops::Range;

/// What a sweep finds. Losses are counted from the bound on.
pub struct Swept {
    /// No plan of the part is worth more.
    pub bound: i64,
    /// The best plan that was met, with its value.
    pub best: Option<(i64, Plan)>,
    /// How many joint states were kept.
    pub kept: usize,
    /// Whether anything had to be dropped because it was too much.
    pub is_cut: bool,
}

/// The slots that have been gone through.
struct Trail {
    phases: Vec<Phases>,
    kept: Vec<Kept>,
}

/// A sweep through the window.
pub struct Sweep<'s, 'a, 'p> {
    /// What everything is worth.
    pub potential: &'s Potential<'a, 'p>,
}

impl Sweep<'_, '_, '_> {
    /// Goes through the window.
    pub fn run(&self, width: Width, goes_on: &dyn Fn() -> bool) -> Swept {
        let mut trail: List<Slot, Trail> = Vec::with_capacity(self.potential.joint.slot_count()).into();
        let (mut missed, mut kept, mut is_cut) = (width.loss.saturating_add(1), 0, false);
        for slot in self.potential.joint.slots() {
            if !goes_on() {
                let least = trail
                    .last()
                    .map_or(0, |trail| trail.kept.iter().map(|kept| kept.loss).min().unwrap_or(i64::MAX));
                return Swept {
                    bound: self.potential.bound - missed.min(least),
                    best: None,
                    kept,
                    is_cut: true,
                };
            }
            let before = slot.before().map(|before| &trail[before]);
            let left = self.potential.joint.slot_count() - trail.len();
            let mut gathered = Gathered::new(width.loss, width.of_slot(kept, left));
            let phases = self.step(slot, before, &mut gathered);
            if let Some(least) = gathered.finish() {
                missed = missed.min(least);
                is_cut = true;
            }
            let next = Trail { phases, kept: gathered.kept };
            kept += next.kept.len();
            trail.push(next);
        }
        let last = &trail[self.potential.joint.end().before().expect("a window has a slot")];
        let best = last.kept.iter().enumerate().min_by_key(|(_, kept)| kept.loss);
        let best =
            best.map(|(position, kept)| (self.potential.bound - kept.loss, self.plan(&trail, position)));
        let bound = best.as_ref().map_or(i64::MIN, |best| best.0).max(self.potential.bound - missed);
        Swept { bound, best, kept, is_cut }
    }

    /// Gathers everything that can follow what was kept of the slot before, if there is one; the phases of it.
    fn step(&self, slot: Slot, before: Option<&Trail>, gathered: &mut Gathered) -> Vec<Phases> {
        let mut entrances = Entrances::new(self.potential, slot);
        let mut enter = |phases: &Phases, old: &[Old]| {
            let next = phases.entries().map(|(model, &phase)| self.next_phases(slot, model, phase));
            entrances.enter(&next.collect(), old, gathered);
        };
        match before.zip(slot.before()) {
            None => {
                let waiting: Phases = List::filled(self.potential.joint.tasks.len(), Phase::Waiting);
                let rests = self.potential.rests.iter();
                let values = rests.map(|rests| rests.whole(self.potential.domain)).collect();
                enter(&waiting, &[Old { position: 0, loss: 0, states: None, values }]);
            }
            Some((trail, before)) => {
                for (phases, members) in trail.groups() {
                    enter(phases, &self.old(before, trail, phases, members));
                }
            }
        }
        entrances.into_phases()
    }

    /// What was kept of a slot under some phases.
    fn old(&self, slot: Slot, trail: &Trail, phases: &Phases, members: Range<usize>) -> Vec<Old> {
        let rests = self.potential.rests.iter().zip(phases.iter());
        let rests: List<ModelIndex, &[i64]> = rests.map(|(rests, &phase)| rests.after(slot, phase)).collect();
        let old = |position: usize| {
            let kept = &trail.kept[position];
            let value = |(model, rests): (ModelIndex, &&[i64])| {
                rests[self.potential.packing.state(kept.states, model).index()]
            };
            Old {
                position: u32::try_from(position).expect("as many fit into memory"),
                loss: kept.loss,
                states: Some(kept.states),
                values: rests.entries().map(value).collect(),
            }
        };
        members.map(old).collect()
    }

    /// The phases of a model in a slot after that of the slot before.
    fn next_phases(&self, slot: Slot, model: ModelIndex, before: Phase) -> Vec<Phase> {
        match before {
            Phase::Waiting => {
                // In ascending order of the slot.
                let starts = self.potential.domain.starts(model);
                let first = starts.partition_point(|start| start.from < slot);
                let after = starts.partition_point(|start| start.from <= slot);
                let waits = (after < starts.len()).then_some(Phase::Waiting);
                let begins = starts[first..after].iter().map(|&start| Phase::Running(start));
                waits.into_iter().chain(begins).collect()
            }
            Phase::Running(start) if self.potential.joint.tasks[model].run_of(start).end == slot => {
                vec![Phase::Done]
            }
            phase => vec![phase],
        }
    }

    /// The plan that ends in what was kept of the last slot at a position.
    fn plan(&self, trail: &List<Slot, Trail>, mut position: usize) -> Plan {
        let joint = self.potential.joint;
        let packing = self.potential.packing;
        let mut tasks: Vec<TaskPlan> =
            joint.models().map(|_| TaskPlan { retraining: None, inference: Vec::new() }).collect();
        for trail in trail.iter().rev() {
            let kept = &trail.kept[position];
            let phases = &trail.phases[kept.phases as usize];
            for ((model, plan), phase) in joint.models().zip(&mut tasks).zip(phases.iter()) {
                let task = &joint.tasks[model];
                let state = packing.state(kept.states, model);
                plan.inference.push(task.allocations[task.allocation_of(state)].clone());
                if let &Phase::Running(start) = phase {
                    let (size, run) = (task.retrainings[start.retraining].size, task.run_of(start));
                    plan.retraining = Some(Retraining { size, from: run.start.0, until: run.end.0 });
                }
            }
            position = kept.from as usize;
        }
        tasks.iter_mut().for_each(|task| task.inference.reverse());
        Plan::new(tasks)
    }
}

impl Trail {
    /// What was kept, by phases, which it is sorted by.
    fn groups(&self) -> Vec<(&Phases, Range<usize>)> {
        let mut groups = Vec::with_capacity(self.phases.len());
        let mut first = 0;
        for (number, phases) in self.phases.iter().enumerate() {
            let count = self.kept[first..].partition_point(|kept| kept.phases as usize == number);
            groups.push((phases, first..first + count));
            first += count;
        }
        groups
    }
}
