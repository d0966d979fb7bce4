//! The best single allocation of the window.

use super::fixed::best_fixed;
use super::worth::Worth;
use crate::instance::Problem;
use crate::rules::{Plan, Retraining};
use kit::Heuristic;

/// The best plan without a reconfiguration, found with all requests known in advance.
pub struct StaticBest;

impl Heuristic<Problem, Plan> for StaticBest {
    fn name(&self) -> &'static str {
        "static-best"
    }

    fn summary(&self) -> &'static str {
        "the best allocation that never changes, beside retrainings from slot 0 on, each on an instance of its own; knows all requests"
    }

    fn reference(&self) -> &'static str {
        "the best of what a static partition such as PARIS can reach"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Plan {
        let worth = Worth::of(problem);
        best_fixed(problem, &worth, |model, retraining, offer| {
            [goodput(&worth, model, retraining, offer), 0, 0]
        })
    }
}

/// Units of goodput of a task that has an offer all the time.
fn goodput(worth: &Worth, model: usize, retraining: &Retraining, offer: usize) -> i128 {
    let task = &worth.tasks[model];
    let is_entered = task.first.is_some_and(|first| first != task.offers[offer].signature);
    let felt = if is_entered { task.outage } else { 0 };
    let in_slot = |slot: u32| {
        let is_retrained = slot >= retraining.until;
        let age = if slot < felt { slot } else { task.outage };
        let requests = task.requests[usize::from(is_retrained)][slot as usize];
        i128::from(requests.min(task.most(offer, is_retrained, age)))
    };
    (0..task.requests[0].len() as u32).map(in_slot).sum()
}
