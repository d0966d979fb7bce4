//! The states of one inference task, and what a slot in each of them is worth.
//!
//! A state is an allocation and an age: the slots since the last reconfiguration, counted up to the end of the outage. An
//! allocation is left out if its signature is *dominated*: another signature has, for every allocation of this one, an
//! allocation that fits wherever this one does and serves at least as much at every age. A task that uses the dominated
//! signature for some slots can use the other one for the same slots: it is reconfigured no more often and serves no less.

use super::super::allocation::Allocation;
use super::super::exact::{Exact, exact};
use super::super::gpu::SizeIndex;
use super::super::instance::{ModelIndex, Problem};
use super::super::rates::{capability, kept, outage_slots};
use super::fit_table::FitTable;
use num_integer::Integer;
use std::collections::BTreeMap;

/// The states of one inference task and the choices of its retraining. Goodput is counted in [`Problem::units`].
pub struct TaskStates {
    /// The model.
    pub model: ModelIndex,
    /// Allocations that are not dominated.
    pub allocations: Vec<Allocation>,
    /// Their numbers in the table of what fits.
    pub numbers: Vec<usize>,
    /// Greatest age, from which on nothing is lost.
    pub oldest: usize,
    /// Sizes and slots of the retraining.
    pub retrainings: Vec<(SizeIndex, u32)>,
    /// Numbers of its sizes in the table of what fits.
    pub retraining_numbers: Vec<usize>,
    /// By state, what must be true of the state before it: 0 for nothing.
    pub needs: Vec<usize>,
    /// By state, what it makes true besides 0; 0 if nothing.
    pub gives: Vec<usize>,
    /// How many such conditions there are, 0 included.
    pub conditions: usize,
    /// By state, whether the window can begin with it.
    pub opens: Vec<bool>,
    served: Vec<i64>,
    requests: Vec<i64>,
    accuracy: [i64; 2],
}

impl TaskStates {
    /// The states of a model's inference task.
    pub fn new(problem: &Problem, model: ModelIndex, fits: &FitTable) -> Self {
        let tasks = problem.model(model);
        let oldest = outage_slots(problem, model) as usize;
        let rates = |allocation: &Allocation| -> Vec<Exact> {
            let full = capability(problem, model, allocation);
            (0..=oldest).map(|age| full * kept(problem, model, allocation, age as u32)).collect()
        };
        let first = tasks.first.as_ref().map(|first| problem.signature(first));
        let allocations = undominated(problem, problem.allocations(model), first.as_deref(), fits, rates);
        let rates: Vec<Exact> = allocations.iter().flat_map(rates).collect();
        let requests: Vec<Exact> = tasks.requests.iter().map(|&requests| exact(requests)).collect();
        let scale = rates.iter().chain(&requests).fold(1, |scale, rate| scale.lcm(rate.denom()));
        let whole = |number: Exact| -> i64 {
            debug_assert!(number.is_integer());
            i64::try_from(number.to_integer()).expect("the problem's units are checked to fit")
        };
        let in_scale = |rates: &[Exact]| rates.iter().map(|&rate| whole(rate * scale)).collect::<Vec<i64>>();
        let per_served = Exact::new(i128::from(problem.units), scale);
        let signatures: Vec<Vec<u32>> = allocations.iter().map(|one| problem.signature(one)).collect();
        let mut signature_numbers: BTreeMap<&[u32], usize> = BTreeMap::new();
        for signature in &signatures {
            let next = signature_numbers.len();
            signature_numbers.entry(signature).or_insert(next);
        }
        let (mut needs, mut gives, mut opens) = (Vec::new(), Vec::new(), Vec::new());
        for signature in &signatures {
            let number = signature_numbers[signature.as_slice()];
            let is_first = first.as_ref().is_none_or(|first| first == signature);
            for age in 0..=oldest {
                // Whoever is of the greatest age stays so.
                needs.push(if age == 0 { 0 } else { 1 + number * oldest + age - 1 });
                gives.push(if oldest == 0 { 0 } else { 1 + number * oldest + age.min(oldest - 1) });
                opens.push(age == if is_first { oldest } else { 0 });
            }
        }
        let retrainings: Vec<(SizeIndex, u32)> = problem.retraining_sizes(model).collect();
        TaskStates {
            model,
            numbers: allocations.iter().map(|allocation| fits.number(allocation)).collect(),
            oldest,
            retraining_numbers: retrainings
                .iter()
                .map(|&(size, _)| fits.number(&problem.gpu.one(size)))
                .collect(),
            retrainings,
            conditions: 1 + signature_numbers.len() * oldest,
            needs,
            gives,
            opens,
            served: in_scale(&rates),
            requests: in_scale(&requests),
            accuracy: [tasks.before, tasks.after].map(|accuracy| whole(exact(accuracy) * per_served)),
            allocations,
        }
    }

    /// Keeps the allocations for which it is true.
    pub fn retain(&mut self, keep: &[bool]) {
        let ages = self.oldest + 1;
        let of_state = |state: usize| keep[state / ages];
        retain_by(&mut self.allocations, |position| keep[position]);
        retain_by(&mut self.numbers, |position| keep[position]);
        retain_by(&mut self.needs, of_state);
        retain_by(&mut self.gives, of_state);
        retain_by(&mut self.opens, of_state);
        retain_by(&mut self.served, of_state);
    }

    /// Keeps the sizes of the retraining for which it is true.
    pub fn retain_retrainings(&mut self, keep: &[bool]) {
        retain_by(&mut self.retrainings, |position| keep[position]);
        retain_by(&mut self.retraining_numbers, |position| keep[position]);
    }

    /// How many states there are.
    pub fn count(&self) -> usize {
        self.needs.len()
    }

    /// The allocation of a state.
    pub fn allocation_of(&self, state: usize) -> usize {
        state / (self.oldest + 1)
    }

    /// Units of goodput of a slot in a state.
    pub fn goodput(&self, slot: usize, state: usize, is_retrained: bool) -> i64 {
        self.accuracy[usize::from(is_retrained)] * self.served[state].min(self.requests[slot])
    }

    /// Whether one state can follow another.
    pub fn follows(&self, before: usize, after: usize) -> bool {
        let needed = self.needs[after];
        needed == 0 || self.gives[before] == needed
    }
}

fn retain_by<T>(values: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut position = 0;
    values.retain(|_| {
        position += 1;
        keep(position - 1)
    });
}

/// The allocations that no other makes superfluous; those of the signature before the window stay.
fn undominated(
    problem: &Problem,
    allocations: Vec<Allocation>,
    first: Option<&[u32]>,
    fits: &FitTable,
    rates: impl Fn(&Allocation) -> Vec<Exact>,
) -> Vec<Allocation> {
    struct Candidate {
        allocation: Allocation,
        number: usize,
        rates: Vec<Exact>,
    }
    let dominates = |one: &Candidate, other: &Candidate| {
        fits.stands_in(one.number, other.number)
            && one.rates.iter().zip(&other.rates).all(|(one, other)| one >= other)
    };
    let mut classes: BTreeMap<Vec<u32>, Vec<Candidate>> = BTreeMap::new();
    for allocation in allocations {
        let (number, rates) = (fits.number(&allocation), rates(&allocation));
        let class = classes.entry(problem.signature(&allocation)).or_default();
        let candidate = Candidate { allocation, number, rates };
        if !class.iter().any(|other| dominates(other, &candidate)) {
            class.retain(|other| !dominates(&candidate, other));
            class.push(candidate);
        }
    }
    let signatures: Vec<Vec<u32>> = classes.keys().cloned().collect();
    for signature in signatures {
        let class = &classes[&signature];
        let covers = |other: &[Candidate]| {
            class.iter().all(|candidate| other.iter().any(|other| dominates(other, candidate)))
        };
        let is_superfluous =
            classes.iter().any(|(other, candidates)| *other != signature && covers(candidates));
        if is_superfluous && first != Some(&signature) {
            classes.remove(&signature);
        }
    }
    let mut kept: Vec<Allocation> =
        classes.into_values().flatten().map(|candidate| candidate.allocation).collect();
    kept.sort();
    kept
}
