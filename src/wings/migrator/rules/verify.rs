//! A simulator of the window: what a plan breaks and what it is worth, slot by slot, in exact fractions.
//!
//! It reads the instance's numbers alone and shares no code with the programs: it keeps the seconds of outage that are left,
//! looks the GPU's contents up among the layouts of the board, and multiplies what is served by the accuracy of the moment.

use super::plan::{Plan, TaskPlan};
use super::score::{ModelScore, Score};
use super::violation::Violation;
use crate::instance::{Allocation, Exact, ModelTasks, Problem, exact, rounded_down};
use crate::section::{Deployment, Reconfiguration, Signature};
use ground::Amount;
use mig::SlotMask;
use mig::arrangements;
use num_rational::Ratio;
use std::collections::BTreeMap;

/// The verdict on a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The rules that it breaks; of each kind and model the first slot.
    pub violations: Vec<Violation>,
    /// What it is worth; meaningful only without violations.
    pub score: Score,
    /// The goodput, exactly.
    pub goodput: Exact,
}

/// Checks a plan against the rules and says what it is worth.
pub fn verify(problem: &Problem, plan: &Plan) -> Verification {
    let mut violations = Vec::new();
    violations.extend(first_misfit(problem, plan));
    let mut score = Score::default();
    let (mut goodput, mut served) = (Ratio::from_integer(0), Ratio::from_integer(0));
    for (tasks, task) in problem.models.iter().zip(&plan.tasks) {
        check_retraining(problem, tasks, task, &mut violations);
        violations.extend(first_lack(problem, tasks, task));
        let simulation = simulate(problem, tasks, task, |_, _, _| {});
        goodput += simulation.goodput;
        served += simulation.served;
        score.received += simulation.score.received;
        score.reconfigurations += simulation.score.reconfigurations;
        score.unseen_changes += simulation.unseen_changes;
        score.models.push(simulation.score);
    }
    score.goodput = rounded_down(goodput);
    score.served = rounded_down(served);
    Verification { violations, score, goodput }
}

/// Requests received, capability left by reconfigurations, and requests served, in each slot; for pictures.
pub fn series(problem: &Problem, tasks: &ModelTasks, task: &TaskPlan) -> Vec<[Amount; 3]> {
    let mut series = Vec::with_capacity(problem.slots as usize);
    simulate(problem, tasks, task, |received, capability, served| {
        series.push([received, rounded_down(capability), rounded_down(served)]);
    });
    series
}

/// The first slot whose instances do not fit the GPU.
fn first_misfit(problem: &Problem, plan: &Plan) -> Option<Violation> {
    let gpu = &problem.gpu;
    let mut known: BTreeMap<Allocation, bool> = BTreeMap::new();
    for slot in 0..problem.slots {
        let mut contents = gpu.nothing();
        for task in &plan.tasks {
            contents = contents.plus(&task.inference[slot as usize]);
            if let Some(retraining) = task.retraining.filter(|retraining| retraining.runs(slot)) {
                contents = contents.plus_one(retraining.size);
            }
        }
        let fits = *known.entry(contents.clone()).or_insert_with(|| {
            !arrangements(&gpu.board, SlotMask::EMPTY, &gpu.board_counts(&contents)).is_empty()
        });
        if !fits {
            return Some(Violation::DoesNotFit { slot, contents: gpu.name(&contents) });
        }
    }
    None
}

/// The first slot in which the inference task cannot be deployed.
fn first_lack(problem: &Problem, tasks: &ModelTasks, task: &TaskPlan) -> Option<Violation> {
    let sizes = &problem.gpu.sizes;
    let needed = sizes[tasks.minimum.index()].gpcs;
    let held = |allocation: &Allocation| {
        let instances = sizes.iter().zip(allocation.counts()).filter(|(_, count)| **count > 0);
        match problem.readings.deployment {
            Deployment::Instance => instances.map(|(size, _)| size.gpcs).max().unwrap_or(0),
            Deployment::Gpcs => instances.map(|(size, &count)| size.gpcs * u32::from(count)).sum(),
        }
    };
    let lacks = |allocation: &Allocation| allocation.is_nothing() || held(allocation) < needed;
    let slot = task.inference.iter().position(lacks)?;
    let minimum = match problem.readings.deployment {
        Deployment::Instance => format!("one instance of {}", sizes[tasks.minimum.index()].name),
        Deployment::Gpcs => format!("{needed} GPCs"),
    };
    Some(Violation::NotDeployed { model: tasks.name.clone(), slot: slot as u32, minimum })
}

fn check_retraining(problem: &Problem, tasks: &ModelTasks, task: &TaskPlan, violations: &mut Vec<Violation>) {
    let model = tasks.name.clone();
    let Some(retraining) = task.retraining else {
        violations.push(Violation::NotRetrained { model });
        return;
    };
    let instance = problem.gpu.size(retraining.size).name.clone();
    let planned = retraining.until.saturating_sub(retraining.from);
    match tasks.retraining[retraining.size.index()] {
        None => violations.push(Violation::RetrainingSize { model: model.clone(), instance }),
        Some(needed) if needed != planned => {
            let model = model.clone();
            violations.push(Violation::RetrainingLength { model, instance, planned, needed });
        }
        Some(_) => {}
    }
    if retraining.until > problem.slots {
        let (until, slots) = (retraining.until, problem.slots);
        violations.push(Violation::BeyondWindow { model, until, slots });
    }
}

/// What the simulation of one model gives.
struct Simulation {
    goodput: Exact,
    served: Exact,
    unseen_changes: u64,
    score: ModelScore,
}

/// Simulates the inference task of a model; `watch` gets the requests received, the capability and the requests served of
/// each slot.
fn simulate(
    problem: &Problem,
    tasks: &ModelTasks,
    task: &TaskPlan,
    mut watch: impl FnMut(Amount, Exact, Exact),
) -> Simulation {
    let zero: Exact = Ratio::from_integer(0);
    let basis = exact(problem.basis);
    let retrained_from = task.retraining.map_or(problem.slots, |retraining| retraining.until);
    let mut simulation = Simulation {
        goodput: zero,
        served: zero,
        unseen_changes: 0,
        score: ModelScore { model: tasks.name.clone(), retrained_from, ..ModelScore::default() },
    };
    let mut outage = zero;
    let mut before = tasks.first.as_ref();
    for (slot, allocation) in (0..).zip(&task.inference) {
        let lost = match before.filter(|before| *before != allocation) {
            Some(before) if is_reconfiguration(problem, before, allocation) => {
                simulation.score.reconfigurations += 1;
                outage = exact(tasks.reconfiguration);
                match problem.readings.reconfiguration {
                    Reconfiguration::Charge => outage,
                    Reconfiguration::Frac => {
                        let each = outage / Ratio::from_integer(i128::from(allocation.instances().max(1)));
                        each.min(basis)
                    }
                    Reconfiguration::Clip | Reconfiguration::Carry => outage.min(basis),
                }
            }
            Some(_) => {
                simulation.unseen_changes += 1;
                outage.min(basis)
            }
            None => outage.min(basis),
        };
        outage = match problem.readings.reconfiguration {
            Reconfiguration::Carry => outage - lost,
            _ => zero,
        };
        let capability = per_second(problem, tasks, allocation) * (basis - lost);
        let received = tasks.requests[slot as usize];
        let served = capability.min(exact(received));
        let accuracy = if slot >= retrained_from { tasks.after } else { tasks.before };
        simulation.goodput += served * exact(accuracy);
        simulation.served += served;
        simulation.score.received += received;
        watch(received, capability, served);
        before = Some(allocation);
    }
    simulation.score.goodput = rounded_down(simulation.goodput);
    simulation.score.served = rounded_down(simulation.served);
    simulation
}

/// Requests per second that an allocation serves.
fn per_second(problem: &Problem, tasks: &ModelTasks, allocation: &Allocation) -> Exact {
    let of_size = |(size, &count): (usize, &u8)| {
        let is_too_small =
            size < tasks.minimum.index() && problem.readings.deployment == Deployment::Instance;
        let capability = if is_too_small { Amount::ZERO } else { tasks.capability[size] };
        exact(capability * i128::from(count))
    };
    allocation.counts().iter().enumerate().map(of_size).sum()
}

/// Whether a change of the allocation is a reconfiguration.
fn is_reconfiguration(problem: &Problem, before: &Allocation, after: &Allocation) -> bool {
    let gpcs = |allocation: &Allocation| -> u32 {
        let counts = problem.gpu.sizes.iter().zip(allocation.counts());
        counts.map(|(size, &count)| size.gpcs * u32::from(count)).sum()
    };
    match problem.readings.signature {
        Signature::Count => before.instances() != after.instances() || gpcs(before) != gpcs(after),
        Signature::Multiset => before != after,
    }
}
