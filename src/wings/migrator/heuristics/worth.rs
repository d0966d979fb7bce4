//! What every allocation of every inference task is worth, in whole units of goodput.

use crate::instance::{
    Allocation, Exact, ModelIndex, Problem, capability, exact, goodput, kept, outage_slots,
};
use ground::Amount;
use std::collections::{BTreeMap, BTreeSet};

/// An allocation that an inference task can have.
pub struct Offer {
    /// The instances.
    pub allocation: Allocation,
    /// GPCs of it.
    pub gpcs: u32,
    /// Position of what it serves among that of the task's offers, in ascending order.
    pub rank: u16,
    /// Number of its signature among those of the task: offers with one number change into each other free of cost.
    pub signature: u16,
    /// Most units of goodput of a slot, before and after retraining: without a loss, in the last slot of an outage, and in those
    /// before it.
    most: [Rates; 2],
}

#[derive(Clone, Copy)]
struct Rates {
    full: i64,
    last: i64,
    first: i64,
}

/// The inference task of a model.
pub struct TaskWorth {
    /// What it can have, in ascending order of the allocations.
    pub offers: Vec<Offer>,
    /// Units of goodput of each slot if all of its requests are served, before and after retraining.
    pub requests: [Vec<i64>; 2],
    /// Slots in which a reconfiguration is felt.
    pub outage: u32,
    /// Number of the signature before the window; `None` without one, [`NO_SIGNATURE`] for one that no offer has.
    pub first: Option<u16>,
}

/// The number of a signature that no offer has.
pub const NO_SIGNATURE: u16 = u16::MAX;

impl TaskWorth {
    /// Of the allocations of a model those that are no larger than another that serves as much.
    fn of(problem: &Problem, model: ModelIndex) -> Self {
        let tasks = problem.model(model);
        let first = tasks.first.as_ref().map(|first| problem.signature(first));
        let legal: Vec<(Allocation, Exact)> = problem
            .allocations(model)
            .into_iter()
            .map(|allocation| {
                let serves = capability(problem, model, &allocation);
                (allocation, serves)
            })
            .collect();
        let is_wasteful = |(allocation, serves): &(Allocation, Exact)| {
            let is_part = |part: &Allocation| {
                part != allocation
                    && part.counts().iter().zip(allocation.counts()).all(|(part, whole)| part <= whole)
            };
            let keeps_the_first = first.as_ref().is_some_and(|first| problem.signature(allocation) == *first);
            !keeps_the_first && legal.iter().any(|(part, others)| others >= serves && is_part(part))
        };
        let outage = outage_slots(problem, model);
        let peak = peak_slot(&tasks.requests);
        let ranks: BTreeSet<Exact> = legal.iter().map(|&(_, serves)| serves).collect();
        let ranks: BTreeMap<Exact, u16> = ranks.into_iter().zip(0..).collect();
        let mut numbers: BTreeMap<Vec<u32>, u16> = BTreeMap::new();
        let mut offer = |(allocation, serves): &(Allocation, Exact)| {
            let most = |age: u32, is_retrained: bool| {
                let left = *serves * kept(problem, model, allocation, age);
                goodput(problem, model, peak, left, is_retrained)
            };
            let rates = |is_retrained: bool| Rates {
                full: most(outage, is_retrained),
                last: most(outage.saturating_sub(1), is_retrained),
                first: most(0, is_retrained),
            };
            let next = numbers.len() as u16;
            Offer {
                allocation: allocation.clone(),
                gpcs: problem.gpu.gpcs(allocation),
                rank: ranks[serves],
                signature: *numbers.entry(problem.signature(allocation)).or_insert(next),
                most: [rates(false), rates(true)],
            }
        };
        let offers: Vec<Offer> = legal.iter().filter(|legal| !is_wasteful(legal)).map(&mut offer).collect();
        let requests = [false, true].map(|is_retrained| {
            let all_served = |(slot, &requests): (u32, &Amount)| {
                goodput(problem, model, slot, exact(requests), is_retrained)
            };
            (0..).zip(&tasks.requests).map(all_served).collect()
        });
        let first = first.map(|first| numbers.get(&first).copied().unwrap_or(NO_SIGNATURE));
        TaskWorth { offers, requests, outage, first }
    }

    /// Most units of goodput in a slot, however many requests there are, so many slots after a reconfiguration.
    pub fn most(&self, offer: usize, is_retrained: bool, age: u32) -> i64 {
        let rates = self.offers[offer].most[usize::from(is_retrained)];
        match age {
            age if age >= self.outage => rates.full,
            age if age + 1 == self.outage => rates.last,
            _ => rates.first,
        }
    }
}

/// A slot with the most requests.
fn peak_slot(requests: &[Amount]) -> u32 {
    (0..).zip(requests).max_by_key(|&(_, requests)| requests).map_or(0, |(slot, _)| slot)
}

/// The inference tasks of all models.
pub struct Worth {
    /// By model.
    pub tasks: Vec<TaskWorth>,
}

impl Worth {
    /// Counts for a problem.
    pub fn of(problem: &Problem) -> Self {
        Worth { tasks: problem.model_indices().map(|model| TaskWorth::of(problem, model)).collect() }
    }
}
