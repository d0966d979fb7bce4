//! Schedules of the retrainings alone: what can run at once beside the inference tasks, and how soon all can be finished.

use super::plan::Retraining;
use crate::instance::{Allocation, ModelIndex, Problem, SizeIndex};
use std::collections::BTreeSet;

/// The sets of instances for retraining that fit the GPU together with a legal allocation of every inference task.
///
/// With a set every part of it is among them.
pub struct Spare {
    sets: BTreeSet<Allocation>,
}

impl Spare {
    /// What the inference tasks of a problem can leave.
    pub fn of(problem: &Problem) -> Self {
        let gpu = &problem.gpu;
        let mut needed = BTreeSet::from([gpu.nothing()]);
        for model in problem.model_indices() {
            let minima = minimal_allocations(problem, model);
            let sums = needed.iter().flat_map(|sum| minima.iter().map(|minimum| sum.plus(minimum)));
            needed = sums.filter(|sum| gpu.fits(sum)).collect();
        }
        let fits = |set: &&Allocation| needed.iter().any(|sum| gpu.fits(&sum.plus(set)));
        Spare { sets: gpu.fitting().filter(fits).cloned().collect() }
    }

    /// Whether retrainings on these instances can run at once.
    pub fn admits(&self, instances: &Allocation) -> bool {
        self.sets.contains(instances)
    }

    /// Whether not even the inference tasks fit.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The largest size of which the inference tasks leave an instance.
    pub fn largest(&self, problem: &Problem) -> Option<SizeIndex> {
        problem.gpu.size_indices().rev().find(|&size| self.admits(&problem.gpu.one(size)))
    }

    /// Sizes on which a model can be retrained, with the slots that it takes, however long the window is.
    pub fn choices(&self, problem: &Problem, model: ModelIndex) -> Vec<(SizeIndex, u32)> {
        let sizes = problem.gpu.size_indices().zip(&problem.model(model).retraining);
        let timed = sizes.filter_map(|(size, slots)| Some((size, (*slots)?)));
        timed.filter(|&(size, _)| self.admits(&problem.gpu.one(size))).collect()
    }
}

/// Allocations on which the inference task of a model can be deployed, but on no part of them; in ascending order.
pub fn minimal_allocations(problem: &Problem, model: ModelIndex) -> Vec<Allocation> {
    let legal = problem.allocations(model);
    let is_part = |part: &Allocation, whole: &Allocation| {
        part != whole && part.counts().iter().zip(whole.counts()).all(|(part, whole)| part <= whole)
    };
    legal.iter().filter(|whole| !legal.iter().any(|part| is_part(part, whole))).cloned().collect()
}

/// Retrainings of all models, by model, that leave every inference task a legal allocation in every slot and end as soon as
/// possible, and the slot in which all have ended, which may lie beyond the window.
///
/// `None` if the inference tasks do not fit beside each other, or a model cannot be retrained beside them on any size.
///
/// What can run at once is closed under leaving out, so that some schedule with the earliest end is found by placing the
/// retrainings one after another, in the order of their starts, each as early as it fits. All orders and sizes are tried, which
/// are few: each model leaves at least a GPC less for the retrainings. Of equal ends the first found is taken.
pub fn shortest_schedule(problem: &Problem) -> Option<(Vec<Retraining>, u32)> {
    let spare = Spare::of(problem);
    let choices: Vec<_> = problem.model_indices().map(|model| spare.choices(problem, model)).collect();
    if spare.is_empty() || choices.iter().any(Vec::is_empty) {
        return None;
    }
    let mut search =
        Search { problem, spare: &spare, choices: &choices, placed: vec![None; choices.len()], best: None };
    search.place_next(0, 0);
    search.best
}

/// The first slot, not before `from`, from which on a retraining of so many slots on an instance of this size fits beside
/// others.
///
/// The size must be one of which [`Spare`] admits an instance alone.
pub fn earliest_start(
    problem: &Problem,
    spare: &Spare,
    others: &[Retraining],
    (size, slots): (SizeIndex, u32),
    from: u32,
) -> u32 {
    let fits_at = |slot: u32| {
        let running = others.iter().filter(|other| other.runs(slot));
        spare.admits(&running.fold(problem.gpu.one(size), |sum, other| sum.plus_one(other.size)))
    };
    let fits_from = |start: u32| {
        let until = start.saturating_add(slots);
        let starts = others.iter().map(|other| other.from).filter(|slot| (start..until).contains(slot));
        fits_at(start) && starts.into_iter().all(fits_at)
    };
    let mut candidates: Vec<u32> =
        others.iter().map(|other| other.until).filter(|&slot| slot > from).collect();
    candidates.push(from);
    candidates.sort_unstable();
    candidates.into_iter().find(|&start| fits_from(start)).expect("alone after all others it fits")
}

struct Search<'s> {
    problem: &'s Problem,
    spare: &'s Spare,
    choices: &'s [Vec<(SizeIndex, u32)>],
    /// By model.
    placed: Vec<Option<Retraining>>,
    best: Option<(Vec<Retraining>, u32)>,
}

impl Search<'_> {
    /// Places every retraining that is not placed next, on every size; none starts before the last one placed.
    fn place_next(&mut self, last_start: u32, end: u32) {
        if self.best.as_ref().is_some_and(|(_, known)| end >= *known) {
            return;
        }
        let others: Vec<Retraining> = self.placed.iter().flatten().copied().collect();
        if others.len() == self.placed.len() {
            self.best = Some((others, end));
            return;
        }
        for model in 0..self.placed.len() {
            if self.placed[model].is_some() || self.has_a_free_twin_before(model) {
                continue;
            }
            for &(size, slots) in &self.choices[model] {
                let from = earliest_start(self.problem, self.spare, &others, (size, slots), last_start);
                let until = from.saturating_add(slots);
                self.placed[model] = Some(Retraining { size, from, until });
                self.place_next(from, end.max(until));
            }
            self.placed[model] = None;
        }
    }

    /// Whether an earlier model that is retrained alike is not placed either: then that one comes first.
    fn has_a_free_twin_before(&self, model: usize) -> bool {
        (0..model).any(|other| self.placed[other].is_none() && self.choices[other] == self.choices[model])
    }
}
