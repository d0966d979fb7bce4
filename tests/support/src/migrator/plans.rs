//! Random plans that obey all rules.

use super::Counts;
use super::case::Case;
use super::dynamic::sum;
use super::exhaustive::{running, runs};
use super::simulation::{Proposal, Run};
use migrator::{Allocation, Plan, Retraining, SizeIndex, TaskPlan};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// A random plan that obeys all rules, if one is met in a few trials.
pub fn random_proposal(case: &Case, random: &mut ChaCha8Rng) -> Option<Proposal> {
    let fitting = case.board.everything_that_fits();
    let models = 0..case.models.len();
    let allocations: Vec<Vec<Counts>> = models.clone().map(|model| case.allocations(model)).collect();
    let mut draw = || -> Option<Proposal> {
        let retraining =
            models.clone().map(|model| runs(case, model).choose(random).copied()).collect::<Option<_>>();
        let retraining: Vec<Run> = retraining?;
        let mut inference: Vec<Vec<Counts>> = vec![Vec::new(); case.models.len()];
        for slot in 0..case.slots {
            let running = running(case, &retraining, slot);
            let tuple = (0..100).find_map(|_| {
                let mut tuple: Vec<Counts> = Vec::new();
                for (model, allocations) in allocations.iter().enumerate() {
                    let before = inference[model].last().filter(|_| random.random_bool(0.6));
                    tuple.push(before.or_else(|| allocations.choose(random))?.clone());
                }
                let all = tuple.iter().fold(running.clone(), |all, own| sum(&all, own));
                fitting.contains(&all).then_some(tuple)
            })?;
            inference.iter_mut().zip(tuple).for_each(|(own, counts)| own.push(counts));
        }
        Some(Proposal { retraining, inference })
    };
    (0..20).find_map(|_| draw())
}

/// As the crate has it.
pub fn to_plan(proposal: &Proposal) -> Plan {
    let tasks = proposal.retraining.iter().zip(&proposal.inference).map(|(run, inference)| TaskPlan {
        retraining: Some(Retraining {
            size: SizeIndex::at(run.size),
            from: run.from as u32,
            until: run.until as u32,
        }),
        inference: inference.iter().map(|counts| Allocation::from_counts(counts.clone())).collect(),
    });
    Plan::new(tasks.collect())
}
